import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import {
  getErrorCode,
  ignoreMissing,
  linkIntoPlace,
  type Placement,
  syncPath,
} from './file-placement.ts';
import { getProcessOwner } from './process-stat.ts';
import { createWriter } from './file-writer.ts';

export type Digests = {
  readonly sha1: Uint8Array;
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
};

/** A check found no file with this name, or one with other bytes. */
export type FileDoubt = { readonly isDoubted: boolean };

/** A file on its way in. It has no meaning until it is published; whatever fails, discard it. */
export type Incoming = {
  readonly path: string;
  /** Hashes and copies. Wait for the promise, if there is one, before the next chunk. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Bytes so far. */
  readonly size: number;
  /** After the last chunk. */
  finish(): Promise<Digests>;
  /** Makes the content durable and read-only. */
  sync(): Promise<void>;
  /**
   * Gives the file its name, for good: returns when that survives a power loss. A file that has the
   * name already is kept if it is as long and nobody doubts it; else it is replaced.
   */
  publish(target: string, doubt?: FileDoubt): Promise<Placement>;
  /** Removes what has not been published. Never throws, and may be called at any time. */
  discard(): Promise<void>;
};

/** An original is never written again. Whether its group may read it, the umask has said. */
export const READ_ONLY = 0o440;

/** Bytes after which a long upload is synced, so that the end is quick. */
const PUSH_BYTES = 64 * 1024 ** 2;

export async function openIncoming(paths: DataPaths): Promise<Incoming> {
  const path = join(paths.incoming, `${randomUUID()}.${getProcessOwner()}`);
  const file = await create(path);
  reach('incoming.opened');
  const sha1 = new Bun.CryptoHasher('sha1');
  const sha256 = new Bun.CryptoHasher('sha256');
  const writer = createWriter(file, { pushBytes: PUSH_BYTES });
  let size = 0;
  let state: 'open' | 'closed' | 'gone' = 'open';

  const close = async () => {
    if (state === 'open') {
      state = 'closed';
      await file.close();
    }
  };
  return {
    path,
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
      await file.chmod((await file.stat()).mode & READ_ONLY);
      await file.sync();
      await close();
      reach('incoming.synced');
    },
    async publish(target, doubt) {
      if (state !== 'closed') throw new Error('sync() must complete before publish()');
      const placed = await linkIntoPlace(paths, path, target, { size, ...doubt });
      reach('original.linked');
      await unlink(path).catch(ignoreMissing);
      state = 'gone';
      reach('incoming.unlinked');
      await syncPath(dirname(target));
      reach('folder.synced');
      return placed;
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
    return await open(path, 'wx', 0o640);
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true });
    return open(path, 'wx', 0o640);
  }
}
