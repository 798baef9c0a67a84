import { createPersonalStore } from '../store.ts';

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

const KEY = 'safelight.uploads';
/** The server gives them up after a day. */
const LIFETIME_MS = 23 * 3_600_000;
const MOST_REMEMBERED = 200;

/** Begun by an earlier visit: the browser has let go of the files since. */
export const interrupted = createPersonalStore<readonly InterruptedUpload[]>([]);

/** Storage may be switched off or full: then an upload survives a lost network, but no reload. */
function read(): InterruptedUpload[] {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? '[]') as InterruptedUpload[];
    return list.filter(({ at }) => Date.now() - at < LIFETIME_MS);
  } catch {
    return [];
  }
}

function write(list: readonly InterruptedUpload[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(-MOST_REMEMBERED)));
  } catch {
    // See above.
  }
}

export const findBegun = (
  userId: string,
  sha256: string,
  isHalf: boolean,
): InterruptedUpload | undefined =>
  read().find(
    (begun) =>
      begun.userId === userId && begun.sha256 === sha256 && (begun.isHalf ?? false) === isHalf,
  );

export function remember(begun: InterruptedUpload): void {
  write([...read().filter(({ id }) => id !== begun.id), begun]);
}

export function forget(id: string): void {
  write(read().filter((begun) => begun.id !== id));
  interrupted.set((old) => old.filter((begun) => begun.id !== id));
}

/** Once, when somebody signs in: what is there now was left by an earlier visit. */
export const findInterrupted = (userId: string): void =>
  interrupted.set(read().filter((begun) => begun.userId === userId));
