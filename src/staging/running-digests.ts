import { LRUCache } from 'lru-cache';
import type { Digests } from '../storage/index.ts';

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

/** Returns the digests of the first `size` bytes, or undefined if they are not known. */
export function findDigests(id: string, size: number): Digests | undefined {
  const running = runningDigests.get(id);
  if (running?.size !== size) return undefined;
  return { sha1: running.sha1.copy().digest(), sha256: running.sha256.copy().digest(), size };
}
