import { LRUCache } from 'lru-cache';
import { constants, readFileSync } from 'node:fs';
import {
  chmod,
  copyFile,
  type FileHandle,
  mkdir,
  open,
  stat,
  truncate,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { type Digests, type Incoming, READ_ONLY } from '../media/incoming-file.ts';
import { getErrorCode, ignoreMissing, linkIntoPlace, syncPath } from '../media/file-placement.ts';
import { createWriter } from '../media/file-writer.ts';

// A file that is received in several requests. Its name has no mark of a process: it outlives the process that began
// it, and the row of its upload says what it is worth. Only the process that owns the upload in this epoch opens it for
// writing, so that nobody else can write to it once it is published.

/** The file of an upload that has its bytes. */
export type Staged = { readonly id: string; readonly fileEpoch: number };

export type PartialFile = {
  /** Copies the chunk. Wait for the promise, if there is one, before the next one. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** End of the file, including bytes not on disk yet. */
  readonly size: number;
  /** Makes everything given so far durable and returns its end. Throws the disk's error. */
  commit(): Promise<number>;
  /**
   * Closes the file: bytes written without a gap are durable afterwards, the rest is cut off.
   * Returns the end, and the error that caused an early one.
   */
  close(): Promise<{ readonly end: number; readonly error: unknown }>;
};

/** Permissions of a file that is still received. */
const WRITABLE = 0o640;

export const getPartialPath = (paths: DataPaths, { id, fileEpoch }: Staged): string =>
  join(paths.incoming, `${id}-${fileEpoch}`);

/** Continues behind the byte `start`. The file must be there unless `start` is 0. */
export async function openPartial(
  paths: DataPaths,
  staged: Staged,
  start: number,
): Promise<PartialFile> {
  return continueFile(await openFile(getPartialPath(paths, staged), start === 0), start);
}

/** Continues an open file behind the byte `start`. It is closed with what is returned. */
export function continueFile(file: FileHandle, start: number): PartialFile {
  const writer = createWriter(file, { start });
  let size = start;
  return {
    get size() {
      return size;
    },
    write(chunk) {
      size += chunk.length;
      return writer.write(chunk);
    },
    async commit() {
      const end = size;
      await writer.flush();
      await file.datasync();
      return end;
    },
    async close() {
      let error: unknown;
      try {
        await writer.flush().catch((reason: unknown) => {
          error = reason;
        });
        const { end } = writer;
        if (error !== undefined) await file.truncate(end);
        await file.datasync();
        return { end, error };
      } finally {
        await writer.idle();
        await file.close().catch(() => {});
      }
    },
  };
}

async function openFile(path: string, mayCreate: boolean): Promise<FileHandle> {
  try {
    return await openExisting(path);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || !mayCreate) throw error;
  }
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'wx', WRITABLE);
  // Durability includes the directory entry.
  await syncPath(dirname(path));
  return file;
}

async function openExisting(path: string): Promise<FileHandle> {
  const file = await open(path, 'r+');
  const { nlink } = await file.stat();
  if (nlink === 1) return file;
  await file.close();
  // The next owner has removed it since it was opened.
  if (nlink === 0) throw Object.assign(new Error(`${path} is removed`), { code: 'ENOENT' });
  // It has its final name already: whoever wrote to it would change an original.
  throw new Error(`${path} is already published as an original`);
}

/** Bytes, and 0 when there is no file. */
export async function getPartialSize(paths: DataPaths, staged: Staged): Promise<number> {
  const found = await stat(getPartialPath(paths, staged)).catch(ignoreMissing);
  return found?.size ?? 0;
}

/** Makes the bytes durable that a process which died may have left to the kernel. */
export const syncPartial = (paths: DataPaths, staged: Staged): Promise<void> =>
  syncPath(getPartialPath(paths, staged));

/** Cuts off what comes after. */
export async function truncatePartial(
  paths: DataPaths,
  staged: Staged,
  size: number,
): Promise<void> {
  await truncate(getPartialPath(paths, staged), size);
  await syncPartial(paths, staged);
}

/** Copies the first `size` bytes to the file of another epoch, durably; blocks are shared where the disk can. */
export async function copyPartial(
  paths: DataPaths,
  { from, to, size }: { readonly from: Staged; readonly to: Staged; readonly size: number },
): Promise<void> {
  const target = getPartialPath(paths, to);
  // A failed copy in this epoch may have left it.
  await removePartial(paths, to);
  if (size === 0) return;
  await copyFile(getPartialPath(paths, from), target, constants.COPYFILE_FICLONE);
  // A file that was about to be published is read-only, and so is its copy.
  await chmod(target, WRITABLE);
  // It may be longer by now: its last owner does not know yet that it is not.
  await truncate(target, size);
  await syncPath(target);
  await syncPath(dirname(target));
  reach('takeover.copied');
}

export const removePartial = (paths: DataPaths, staged: Staged): Promise<void> =>
  unlink(getPartialPath(paths, staged)).catch(ignoreMissing);

// Running digests of uploads in progress. They save reading the file a second time, which happens after
// a restart or a truncation.

type RunningDigests = {
  readonly sha1: Bun.CryptoHasher;
  readonly sha256: Bun.CryptoHasher;
  size: number;
};

/** More than a server receives at a time; each entry has some hundred bytes. */
const MAX_ENTRIES = 1000;

const runningDigests = new LRUCache<string, RunningDigests>({ max: MAX_ENTRIES });

/** Adds the chunk if it continues the digest; otherwise does nothing. */
export function updateDigests(id: string, offset: number, chunk: Uint8Array): void {
  let running = runningDigests.get(id);
  if (!running && offset === 0) {
    running = {
      sha1: new Bun.CryptoHasher('sha1'),
      sha256: new Bun.CryptoHasher('sha256'),
      size: 0,
    };
    runningDigests.set(id, running);
  }
  if (running?.size !== offset) return;
  running.sha1.update(chunk);
  running.sha256.update(chunk);
  running.size += chunk.length;
}

/** Keeps the digests for the next request if they cover exactly `size` bytes, else deletes them. */
export function retainDigests(id: string, size: number): void {
  const running = runningDigests.get(id);
  if (running?.size !== size || size === 0) runningDigests.delete(id);
}

export const deleteDigests = (id: string): void => void runningDigests.delete(id);

/** Returns the digests of a file of `size` bytes, which it reads unless its running digests have all of them. */
export async function computePartialDigests(
  paths: DataPaths,
  staged: Staged,
  size: number,
): Promise<Digests> {
  const running = runningDigests.get(staged.id);
  if (running?.size === size) {
    return { sha1: running.sha1.copy().digest(), sha256: running.sha256.copy().digest(), size };
  }
  const sha1 = new Bun.CryptoHasher('sha1');
  const sha256 = new Bun.CryptoHasher('sha256');
  const file = await open(getPartialPath(paths, staged), 'r');
  let end = 0;
  try {
    const buffer = Buffer.allocUnsafeSlow(1024 ** 2);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, end);
      if (bytesRead === 0) break;
      const bytes = buffer.subarray(0, bytesRead);
      sha1.update(bytes);
      sha256.update(bytes);
      end += bytesRead;
    }
  } finally {
    await file.close();
  }
  return { sha1: sha1.digest(), sha256: sha256.digest(), size: end };
}

/**
 * The complete file on its way to its final name. It keeps the old one too until removePartial: a
 * transaction that fails after all must find the bytes where they were.
 */
export const completePartial = (
  paths: DataPaths,
  staged: Staged,
  size: number,
): Pick<Incoming, 'path' | 'sync' | 'publish'> => {
  const path = getPartialPath(paths, staged);
  return {
    path,
    async sync() {
      await chmod(path, (await stat(path)).mode & READ_ONLY);
      await syncPath(path);
      reach('incoming.synced');
    },
    async publish(target, doubt) {
      const placed = await linkIntoPlace(paths, path, target, { size, ...doubt });
      reach('original.linked');
      await syncPath(dirname(target));
      reach('folder.synced');
      return placed;
    },
  };
};

let bootId: string | undefined;

/**
 * Changes with every start of the kernel. Bytes that a process wrote are still there after it was
 * killed, but not after a power cut.
 */
export const getBootId = (): string => (bootId ??= readBootId());

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Unknown: then nothing that was not synced counts after a restart.
    return `process ${process.pid} ${Date.now()}`;
  }
}
