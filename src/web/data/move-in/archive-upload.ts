import { ApiError, getMessage } from '../../base/api.ts';
import { ERROR_TEXTS } from '../../base/error-texts.ts';
import { t } from '../../base/i18n.ts';
import { createPersonalStore } from '../../base/store.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import type { MoveIn } from '../types.ts';
import { request, toError } from '../uploads/request.ts';
import { isFinal, sleep } from '../uploads/retry.ts';
import { invalidateMoveIns, startMoveIn } from './move-in-data.ts';

// The bytes of the ZIP files of a move. The server says where each continues; this tab has the files until it is closed.

/** Bytes of one request: proxies limit them, and a lost one is sent again. */
const PIECE_BYTES = 64 * 1024 ** 2;
const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 30_000;

export type ArchiveUpload = {
  readonly moveInId: string;
  readonly isRunning: boolean;
  /** Bytes that the server has of each file, and those that are on their way. */
  readonly sent: readonly number[];
  /** Why it is tried again in a moment. */
  readonly lastFault: string | undefined;
  readonly error: string | undefined;
};

/** Undefined: this tab has none of the files. */
export const archiveUpload = createPersonalStore<ArchiveUpload | undefined>(undefined);

let files: readonly File[] = [];
let abortRequest: (() => void) | undefined;

const change = (set: Partial<ArchiveUpload>): void =>
  archiveUpload.set((old) => old && { ...old, ...set });

/** Returns the file of a part among those that were chosen. */
export const findFile = (
  { name, size }: Pick<File, 'name' | 'size'>,
  chosen: readonly File[] = files,
): File | undefined => chosen.find((file) => file.name === name && file.size === size);

/** Returns the parts whose bytes are not all there, and whose files nobody has chosen in this tab. */
export const listMissing = ({ archives }: MoveIn) =>
  (archives?.parts ?? []).filter((part) => part.received < part.size && !findFile(part));

/** Returns why a file is none that the server can unpack; undefined: it may be one. */
export async function findZipFault(file: File): Promise<string | undefined> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0x1f && second === 0x8b) return ERROR_TEXTS.archive_tgz;
  if (/\.(?:tgz|tar|gz)$/i.test(file.name)) return ERROR_TEXTS.archive_tgz;
  const isZip = first === 0x50 && second === 0x4b && /\.zip$/i.test(file.name);
  return isZip ? undefined : ERROR_TEXTS.archive_not_zip;
}

/** Sends what is missing of the files, and starts to unpack when all is there. What is there already is not sent again. */
export async function uploadArchives(
  moveIn: MoveIn,
  chosen: readonly File[] = files,
): Promise<void> {
  if (archiveUpload.get()?.isRunning) return;
  isPausing = false;
  const { id, archives } = moveIn;
  const parts = archives?.parts ?? [];
  files = [...chosen];
  const sent = parts.map(({ received }) => received);
  const state = { moveInId: id, sent, lastFault: undefined, error: undefined };
  archiveUpload.set({ ...state, isRunning: true });
  const release = await tabLocks.tryLock(`safelight.archives ${id}`);
  if (!release) return change({ isRunning: false, error: ERROR_TEXTS.superseded });
  window.addEventListener('beforeunload', warn);
  try {
    for (const [index, part] of parts.entries()) {
      const file = findFile(part);
      if (file && part.received < part.size) await sendFile(id, index, file, part.received);
    }
    const isAll = archiveUpload.get()?.sent.every((bytes, at) => bytes === parts[at]?.size);
    if (isAll) {
      await startMoveIn(moveIn);
      files = [];
    }
  } catch (error) {
    if (!isCancelled(error)) change({ error: getMessage(error) });
  } finally {
    window.removeEventListener('beforeunload', warn);
    release();
    await invalidateMoveIns().catch(() => undefined);
    change({ isRunning: false, lastFault: undefined });
  }
}

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

const CANCELLED = -1;
const isCancelled = (error: unknown): boolean =>
  error instanceof ApiError && error.status === CANCELLED;
const cancelled = () => new ApiError(CANCELLED, t('Canceled'));

let isPausing = false;

/** Ends the transfer; what the server has stays there. */
export function pauseArchives(): void {
  isPausing = true;
  abortRequest?.();
}

async function sendFile(id: string, index: number, file: File, received: number): Promise<void> {
  let offset = received;
  let pauseMs = FIRST_PAUSE_MS;
  const setSent = (bytes: number) => {
    const { sent = [] } = archiveUpload.get() ?? {};
    change({ sent: sent.map((old, at) => (at === index ? bytes : old)) });
  };
  while (offset < file.size) {
    if (isPausing || !archiveUpload.get()) throw cancelled();
    try {
      offset = await sendPiece(`/move-ins/${id}/archives/${index}`, { file, offset, setSent });
      pauseMs = FIRST_PAUSE_MS;
      change({ lastFault: undefined });
    } catch (error) {
      if (isFinal(error)) throw error;
      await requireReadable(file, offset);
      change({ lastFault: getMessage(error) });
      await sleep(pauseMs);
      pauseMs = Math.min(MOST_PAUSE_MS, 2 * pauseMs);
    }
    setSent(offset);
  }
}

type Piece = { file: File; offset: number; setSent: (bytes: number) => void };

/** Returns where the upload continues. */
async function sendPiece(path: string, { file, offset, setSent }: Piece): Promise<number> {
  const { answer, abort } = request('PATCH', path, {
    headers: { 'upload-offset': String(offset), 'content-type': 'application/octet-stream' },
    // Without a type of its own, which would overrule the header.
    body: file.slice(offset, offset + PIECE_BYTES, ''),
    onProgress: (sent) => setSent(offset + sent),
  });
  abortRequest = abort;
  const got = await answer.finally(() => (abortRequest = undefined));
  const next = got.header('upload-offset');
  // The server has more, or less, than it said before.
  if ((got.status === 204 || got.status === 409) && next !== null) return Number(next);
  throw toError(got);
}

/** A file that was moved or changed looks like a lost connection. */
async function requireReadable(file: File, offset: number): Promise<void> {
  try {
    await file.slice(offset, offset + 1).arrayBuffer();
  } catch {
    throw new ApiError(
      400,
      t('The file “{name}” was moved or changed. Choose it again.', { name: file.name }),
    );
  }
}
