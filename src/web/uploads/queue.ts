import { ApiError, get, messageOf, post } from '../api.ts';
import { createStore } from '../store.ts';
import type { MediaTypes, UploadCheck, Uploaded } from '../types.ts';
import { isWorthSending } from './collect.ts';
import { hashFile } from './hash.ts';
import { sendFile, type Sending } from './send.ts';

export type Status =
  'waiting' | 'reading' | 'sending' | 'retrying' | 'done' | 'duplicate' | 'failed';
export type Item = {
  id: number;
  name: string;
  size: number;
  status: Status;
  sent: number;
  error: string | undefined;
  assetId: string | undefined;
};
export type Uploads = {
  items: readonly Item[];
  isRunning: boolean;
  isOpen: boolean;
  /** When the last one was through, by performance.now(). */
  endedAt: number;
};

/** The queue lives outside the components: it goes on while the person looks at other pages. */
export const uploads = createStore<Uploads>({
  items: [],
  isRunning: false,
  isOpen: false,
  endedAt: -Infinity,
});

const AT_ONCE = 3;
const RETRY_MS = [1000, 3000, 9000];
const files = new Map<number, File>();
const sendings = new Map<number, Sending>();
let nextId = 1;
let workers = 0;

export function addFiles(list: readonly File[]): number {
  const good = list.filter(isWorthSending);
  const items = good.map((file): Item => {
    const id = nextId++;
    files.set(id, file);
    return {
      id,
      name: file.name,
      size: file.size,
      status: 'waiting',
      sent: 0,
      error: undefined,
      assetId: undefined,
    };
  });
  uploads.set((old) => ({
    ...old,
    items: [...old.items, ...items],
    isOpen: old.isOpen || items.length > 0,
  }));
  start();
  return good.length;
}

export function retryFailed(): void {
  uploads.set((old) => ({
    ...old,
    items: old.items.map((item) =>
      item.status === 'failed' ? { ...item, status: 'waiting', error: undefined, sent: 0 } : item,
    ),
  }));
  start();
}

/** Takes everything out that has not arrived. */
export function cancelUploads(): void {
  uploads.set((old) => ({ ...old, items: old.items.filter(isSettled) }));
  for (const { abort } of sendings.values()) abort();
}

export function clearUploads(): void {
  if (uploads.get().isRunning) return;
  files.clear();
  uploads.set((old) => ({ ...old, items: [], isOpen: false }));
}

export const openUploads = (isOpen: boolean): void => uploads.set((old) => ({ ...old, isOpen }));

export const isSettled = ({ status }: Item): boolean =>
  status === 'done' || status === 'duplicate' || status === 'failed';

function start(): void {
  while (workers < AT_ONCE && hasWaiting()) {
    workers++;
    uploads.set((old) => ({ ...old, isRunning: true }));
    void work();
  }
}

const hasWaiting = (): boolean => uploads.get().items.some(({ status }) => status === 'waiting');

async function work(): Promise<void> {
  for (;;) {
    const item = uploads.get().items.find(({ status }) => status === 'waiting');
    if (!item) break;
    change(item.id, { status: 'reading' });
    await upload(item.id);
  }
  workers--;
  if (workers > 0) return;
  uploads.set((old) => ({ ...old, isRunning: false, endedAt: performance.now() }));
}

async function upload(id: number): Promise<void> {
  const file = files.get(id);
  if (!file) return;
  for (let turn = 0; ; turn++) {
    try {
      const { status, id: assetId } = await sendOnce(id, file);
      files.delete(id);
      const isNew = status !== 'duplicate';
      return change(id, { status: isNew ? 'done' : 'duplicate', assetId, sent: file.size });
    } catch (error) {
      const pause = RETRY_MS[turn];
      if (!isWorthRetrying(error) || pause === undefined) {
        return change(id, { status: 'failed', error: messageOf(error) });
      }
      change(id, { status: 'retrying', error: messageOf(error), sent: 0 });
      await new Promise((done) => setTimeout(done, pause));
    }
  }
}

/** A lost connection or a server in trouble may get better; a refusal will not. */
export const isWorthRetrying = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

let extensions: Promise<ReadonlySet<string>> | undefined;

/** By the name alone, so that nothing is read and sent in vain. A name without ending may pass. */
async function refuseUnknownKind(name: string): Promise<void> {
  extensions ??= get<MediaTypes>('/server/media-types').then(
    (types) => new Set(Object.values(types).flat()),
  );
  const known = await extensions.catch((error: unknown) => {
    extensions = undefined;
    throw error;
  });
  const ending = /\.\w+$/.exec(name)?.[0].toLowerCase();
  if (ending && !known.has(ending)) throw new ApiError(400, UNSUPPORTED);
}
const UNSUPPORTED = 'This kind of file is not supported.';

async function sendOnce(id: number, file: File): Promise<Uploaded> {
  await refuseUnknownKind(file.name);
  const checksum = await hashFile(file).catch(() => {
    throw new ApiError(-1, 'The file cannot be read. Was it moved or deleted?');
  });
  const { results } = await post<UploadCheck>('/assets/bulk-upload-check', {
    assets: [{ id: file.name, checksum }],
  });
  const verdict = results[0];
  if (verdict?.reason === 'unsupported-format') {
    throw new ApiError(400, UNSUPPORTED);
  }
  if (verdict?.action === 'reject' && verdict.assetId) {
    return { id: verdict.assetId, status: 'duplicate' };
  }
  if (!files.has(id) || !uploads.get().items.some((item) => item.id === id)) {
    throw new ApiError(-1, 'Cancelled');
  }
  change(id, { status: 'sending', error: undefined });
  const sending = sendFile(file, checksum, (sent) =>
    change(id, { sent: Math.min(sent, file.size) }),
  );
  sendings.set(id, sending);
  return sending.result.finally(() => sendings.delete(id));
}

function change(id: number, next: Partial<Item>): void {
  uploads.set((old) => ({
    ...old,
    items: old.items.map((item) => (item.id === id ? { ...item, ...next } : item)),
  }));
}

export type Totals = {
  files: number;
  settled: number;
  created: number;
  duplicates: number;
  failed: number;
  /** Bytes, and the share of all bytes that is through, from 0 to 1. */
  size: number;
  part: number;
};

export function totalsOf(items: readonly Item[]): Totals {
  const count = (status: Status) => items.filter((item) => item.status === status).length;
  const [size, through] = items.reduce(
    ([all, sent], item) => [all + item.size, sent + (isSettled(item) ? item.size : item.sent)],
    [0, 0],
  );
  return {
    files: items.length,
    settled: items.filter(isSettled).length,
    created: count('done'),
    duplicates: count('duplicate'),
    failed: count('failed'),
    size,
    part: size > 0 ? through / size : 1,
  };
}
