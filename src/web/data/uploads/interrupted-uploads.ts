import { createPersonalStore } from '../../base/store.ts';
import { readStorage, writeStorage } from '../../base/storage.ts';
import { tabLocks } from '../../base/tab-locks.ts';
import { toLockName } from './lock-names.ts';

/** An upload that the server has begun to take in; enough to go on after this page was closed. */
export type InterruptedUpload = {
  /** SHA-256 of the file as base64, by which the file is recognised. */
  sha256: string;
  /** The id of the upload on the server. */
  id: string;
  userId: string;
  name: string;
  size: number;
  /** Waits for the other half of a live photo when all of it is there. */
  isHalf?: boolean | undefined;
  /** Milliseconds since 1970. */
  at: number;
};

type Content = Pick<InterruptedUpload, 'userId' | 'sha256'>;
type Kind = Content & Pick<InterruptedUpload, 'isHalf'>;

const PREFIX = 'safelight.upload.';
/** Each upload has its own key, so that tabs that write at the same time do not overwrite each other. */
const toKey = ({ userId, sha256, isHalf }: Kind): string =>
  `${PREFIX}${userId}.${sha256}${isHalf ? '.half' : ''}`;

/** The server gives them up after a day. */
const LIFETIME_MS = 23 * 3_600_000;
/** A tab that is closed does not tell the others. */
const LOOK_AGAIN_MS = 3000;

/** Begun by a tab that is closed: the browser has let go of the files since. */
export const interrupted = createPersonalStore<readonly InterruptedUpload[]>([]);

/** Keys of what this tab has sent: it shows them in its queue, also when they fail. */
const queued = new Set<string>();

/** Storage may be switched off or full: then an upload survives a lost network, but no reload. */
function read(key: string): InterruptedUpload | undefined {
  try {
    return (JSON.parse(readStorage(key) ?? 'null') as InterruptedUpload | null) ?? undefined;
  } catch {
    return undefined;
  }
}

const isExpired = ({ at }: InterruptedUpload): boolean => Date.now() - at >= LIFETIME_MS;

function list(userId: string): InterruptedUpload[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(`${PREFIX}${userId}.`) && !queued.has(key))
      .flatMap((key) => read(key) ?? []);
  } catch {
    return [];
  }
}

export function findBegun(kind: Kind): InterruptedUpload | undefined {
  const begun = read(toKey(kind));
  if (!begun || isExpired(begun)) return undefined;
  queued.add(toKey(kind));
  return begun;
}

/** Returns what this browser remembers of a content, whole or as half of a live photo. */
export const listBegun = (content: Content): InterruptedUpload[] =>
  [false, true].flatMap((isHalf) => read(toKey({ ...content, isHalf })) ?? []);

export function remember(begun: InterruptedUpload): void {
  queued.add(toKey(begun));
  writeStorage(toKey(begun), JSON.stringify(begun));
}

export function forget(begun: InterruptedUpload): void {
  if (read(toKey(begun))?.id === begun.id) writeStorage(toKey(begun), undefined);
  unlist(begun);
}

/** Takes it off the list of this tab, for example because another one has resumed it. */
export const unlist = ({ id }: InterruptedUpload): void =>
  interrupted.set((old) => old.filter((one) => one.id !== id));

/** Keeps `interrupted` up to date while somebody is signed in. Returns what ends it. */
export function watchInterrupted(userId: string): () => void {
  let isOver = false;
  const update = async () => {
    const found = await findInterrupted(userId);
    if (isOver) return;
    interrupted.set((old) => (toIds(old) === toIds(found) ? old : found));
  };
  const look = () => void update().catch(() => undefined);
  look();
  const timer = setInterval(look, LOOK_AGAIN_MS);
  window.addEventListener('storage', look);
  return () => {
    isOver = true;
    clearInterval(timer);
    window.removeEventListener('storage', look);
  };
}

const toIds = (uploads: readonly InterruptedUpload[]): string => uploads.map(({ id }) => id).join();

/** Returns what no live tab is sending. */
export async function findInterrupted(userId: string): Promise<InterruptedUpload[]> {
  const before = list(userId);
  if (before.length === 0) return [];
  const locked = await tabLocks.filterLocked(before.map(toLockName));
  const free = before.filter((upload) => !locked.has(toLockName(upload)));
  for (const upload of free.filter(isExpired)) forget(upload);
  // Without those that have arrived meanwhile, and are not locked for that reason.
  const after = new Set(list(userId).map(({ id }) => id));
  return free.filter(({ id }) => after.has(id)).toSorted((a, b) => a.at - b.at);
}
