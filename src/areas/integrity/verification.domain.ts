import { constants, read, readSync, type Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { openFile, statFile } from '../../core/guarded-path.ts';
import { withIdleIo } from '../../core/idle-io.ts';
import type { DataPaths } from '../../core/paths.ts';
import { originalPath } from '../../storage/stored-file.ts';
import type { Deps } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockOriginal, markMissing, type OriginalRow } from '../../storage/originals.store.ts';

export type Verdict = 'ok' | 'missing' | 'damaged' | 'unreadable';

/** The verdict on a file, and the state of the file that it is about; undefined: there was none. */
export type Verified = { readonly verdict: Verdict; readonly file: string | undefined };

/**
 * Called after each part of a file; reading goes on when it resolves. With it the calling thread reads when the
 * disk is idle, so it must let other work of the thread have its turn; without it reading is asynchronous.
 */
export type Pace = (bytes: number) => Promise<void>;

const CHUNK_BYTES = 1024 * 1024;
const CHUNK = Buffer.alloc(CHUNK_BYTES);
const readAsync = promisify(read);
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Reads an original and compares it with its digest. */
export const verifyOriginal = (
  paths: DataPaths,
  { sha256, size }: Pick<OriginalRow, 'sha256' | 'size'>,
  pace?: Pace,
): Promise<Verified> => verifyFile(originalPath(paths, sha256), { sha256, size }, pace);

/** Reads a file and compares it with the size and digest that it should have. Links are not followed. */
export async function verifyFile(
  path: string,
  { sha256, size }: Pick<OriginalRow, 'sha256' | 'size'>,
  pace?: Pace,
): Promise<Verified> {
  let opened: FileHandle | undefined;
  try {
    opened = await openFile(path, READ);
    const info = await opened.stat();
    const file = describeFile(info);
    if (!info.isFile() || info.size !== size) return { verdict: 'damaged', file };
    const digest = await hashFile(opened.fd, pace);
    return { verdict: digest.equals(sha256) ? 'ok' : 'damaged', file };
  } catch (error) {
    return { verdict: toVerdict(error), file: undefined };
  } finally {
    await opened?.close();
  }
}

async function hashFile(fd: number, pace?: Pace): Promise<Buffer> {
  const hasher = new Bun.CryptoHasher('sha256');
  const chunk = pace ? CHUNK : Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const length = pace
      ? withIdleIo(() => readSync(fd, chunk))
      : (await readAsync(fd, chunk, 0, CHUNK_BYTES, null)).bytesRead;
    if (length === 0) return hasher.digest();
    hasher.update(chunk.subarray(0, length));
    await pace?.(length);
  }
}

/** Looks whether a file is there, without reading it. */
export async function findFile(path: string): Promise<Verified> {
  try {
    const info = await statFile(path, lstat);
    return { verdict: info.isFile() ? 'ok' : 'unreadable', file: describeFile(info) };
  } catch (error) {
    return { verdict: toVerdict(error), file: undefined };
  }
}

/** A file that cannot be read now may be readable later: that is no verdict about it. */
const toVerdict = (error: unknown): Verdict =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'unreadable';

const describeFile = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats) =>
  [dev, ino, size, mtimeMs, ctimeMs].join();

/**
 * Records a verdict, under the lock of the original and only while its file is still the one that was
 * looked at; the next upload of these bytes replaces a missing or damaged file. Returns false when the file
 * or the original has changed meanwhile.
 */
export const recordVerdict = (
  store: Pick<Deps, 'db' | 'paths'>,
  sha256: Uint8Array,
  verified: Verified,
): Promise<boolean> =>
  inTransaction(store, async ({ db, paths }) => {
    const { verdict } = verified;
    if (verdict === 'unreadable') return true;
    const row = await lockOriginal(db, sha256);
    if (!row || !(await isUnchanged(paths, sha256, verified))) return false;
    await markMissing(db, sha256, verdict !== 'ok');
    return true;
  });

/** Whether the file is still what the verdict is about. Reliable only while its original is locked. */
export async function isUnchanged(
  paths: DataPaths,
  sha256: Uint8Array,
  { file }: Verified,
): Promise<boolean> {
  const found = await findFile(originalPath(paths, sha256));
  return found.verdict !== 'unreadable' && found.file === file;
}
