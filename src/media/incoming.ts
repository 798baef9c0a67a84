import { randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { reach } from '../core/fault.ts';
import type { DataPaths } from '../core/paths.ts';
import { ownMark } from './process-mark.ts';

export type Digests = {
  readonly sha1: Uint8Array;
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
};

/** A file on its way in. It has no meaning until it is published; whatever fails, discard it. */
export type Incoming = {
  /** Hashes and writes. Wait for the promise, if there is one, before the next chunk. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Bytes so far. */
  readonly size: number;
  /** After the last chunk. */
  finish(): Promise<Digests>;
  /** Makes the content durable and read-only. */
  sync(): Promise<void>;
  /**
   * Gives the file its name, for good: returns when that survives a power loss. A file that has the
   * name already is never touched; it is taken for this one if it is as long.
   */
  publish(target: string): Promise<void>;
  /** Removes what has not been published. Never throws, and may be called at any time. */
  discard(): Promise<void>;
};

/** Bytes (or chunks) gathered for one write call. */
const BATCH_BYTES = 1024 ** 2;
const BATCH_CHUNKS = 256;
/** What a long upload has written is pushed to the disk now and then, so that the end is quick. */
const PUSH_BYTES = 64 * 1024 ** 2;

export async function openIncoming(paths: DataPaths): Promise<Incoming> {
  const path = join(paths.incoming, `${randomUUID()}.${ownMark()}`);
  const file = await create(path);
  reach('incoming.opened');
  const sha1 = new Bun.CryptoHasher('sha1');
  const sha256 = new Bun.CryptoHasher('sha256');
  const writer = createWriter(file);
  let size = 0;
  let state: 'open' | 'closed' | 'gone' = 'open';

  const close = async () => {
    if (state === 'open') {
      state = 'closed';
      await file.close();
    }
  };
  return {
    get size() {
      return size;
    },
    write(chunk) {
      sha1.update(chunk);
      sha256.update(chunk);
      size += chunk.length;
      return writer.write(chunk);
    },
    async finish() {
      await writer.flush();
      reach('incoming.written');
      return { sha1: sha1.digest(), sha256: sha256.digest(), size };
    },
    async sync() {
      if (state !== 'open') return;
      await file.chmod(0o444);
      await file.sync();
      await close();
      reach('incoming.synced');
    },
    async publish(target) {
      if (state !== 'closed') throw new Error('published before it was synced');
      await linkInto(paths, path, target, size);
      reach('original.linked');
      await unlink(path).catch(ignoreMissing);
      state = 'gone';
      reach('incoming.unlinked');
      await syncFolder(dirname(target));
      reach('folder.synced');
    },
    async discard() {
      await writer.idle();
      await close().catch(() => {});
      if (state !== 'gone') await unlink(path).catch(() => {});
      state = 'gone';
    },
  };
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'wx', 0o600);
  }
}

/** Writes in big pieces, one at a time, while the next one is being received and hashed. */
function createWriter(file: FileHandle) {
  let batch: Uint8Array[] = [];
  let batchBytes = 0;
  let unpushed = 0;
  let writing: Promise<void> = Promise.resolve();
  let pushing: Promise<void> = Promise.resolve();

  const start = () => {
    const chunks = batch;
    const [before, bytes] = [writing, batchBytes];
    batch = [];
    batchBytes = 0;
    writing = before.then(() => writeAll(file, chunks, bytes));
    unpushed += bytes;
    if (unpushed >= PUSH_BYTES) {
      unpushed = 0;
      const [written, pushed] = [writing, pushing];
      pushing = pushed.then(() => written).then(() => file.datasync());
      pushing.catch(() => {});
      // The reader may run ahead of the disk by one push, not more.
      writing = Promise.all([written, pushed]).then(() => {});
    }
    writing.catch(() => {});
    return before;
  };
  return {
    write(chunk: Uint8Array): Promise<void> | undefined {
      batch.push(chunk);
      batchBytes += chunk.length;
      return batchBytes < BATCH_BYTES && batch.length < BATCH_CHUNKS ? undefined : start();
    },
    async flush() {
      if (batchBytes > 0) void start();
      await writing;
      await pushing;
    },
    /** When nothing uses the file any more, whether it went well or not. */
    idle: () => Promise.allSettled([writing, pushing]),
  };
}

async function writeAll(file: FileHandle, chunks: Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  if (bytesWritten === bytes) return;
  // A nearly full disk takes less than it was given; the next call says why.
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let at = 0; at < rest.length;) {
    at += (await file.write(rest, at, rest.length - at)).bytesWritten;
  }
}

/** Some file systems know no second name for a file (exFAT, some network shares). */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function linkInto(
  paths: DataPaths,
  from: string,
  target: string,
  size: number,
): Promise<void> {
  const folder = dirname(target);
  await makeFolders(paths.root, folder);
  reach('folders.made');
  try {
    await link(from, target);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return expectSize(target, size);
    if (code === 'ENOENT') {
      // Somebody tidied up empty folders.
      made.delete(folder);
      await makeFolders(paths.root, folder);
      return link(from, target);
    }
    if (!NO_LINKS.has(code)) throw error;
    const found = await stat(target).catch(() => undefined);
    if (found) return expectSize(target, size);
    await rename(from, target);
  }
}

async function expectSize(target: string, size: number): Promise<void> {
  const found = await stat(target);
  if (found.isFile() && found.size === size) return;
  throw new Error(`${target} has ${found.size} bytes instead of ${size}: not overwritten`);
}

/** Folders that are known to survive a power loss. */
const made = new Map<string, Promise<void>>();

/**
 * Makes the folders below `root` and makes each entry durable, also those that another upload made
 * a moment ago: it may not have come to its own fsync yet.
 */
function makeFolders(root: string, folder: string): Promise<void> {
  let making = made.get(folder);
  if (!making) {
    making = makeEach(root, folder);
    made.set(folder, making);
    making.catch(() => made.delete(folder));
  }
  return making;
}

async function makeEach(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  let at = root;
  for (const part of relative(root, folder).split(sep)) {
    await syncFolder(at);
    at = join(at, part);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error;
}
