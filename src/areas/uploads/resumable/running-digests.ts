import type { Digests } from '../../../media/originals.ts';

// The digests of uploads that are being received, from their first byte. They are worth the reading
// of the file a second time, no more: after a restart or a cut-back that is what happens.

type Running = { readonly sha1: Bun.CryptoHasher; readonly sha256: Bun.CryptoHasher; size: number };

/** More than anybody receives at a time; each is some hundred bytes. */
const MAX_KEPT = 1000;

/** Least recently used first. */
const kept = new Map<string, Running>();

/** Adds the chunk if it follows what was added so far. */
export function addToDigests(id: string, offset: number, chunk: Uint8Array): void {
  let running = kept.get(id);
  if (!running && offset === 0) {
    running = {
      sha1: new Bun.CryptoHasher('sha1'),
      sha256: new Bun.CryptoHasher('sha256'),
      size: 0,
    };
    kept.set(id, running);
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  }
  if (running?.size !== offset) return;
  running.sha1.update(chunk);
  running.sha256.update(chunk);
  running.size += chunk.length;
}

/** For the next request of the upload: begins anew unless exactly `size` bytes were added. */
export function keepDigests(id: string, size: number): void {
  const running = kept.get(id);
  if (!running) return;
  kept.delete(id);
  if (running.size === size && size > 0) kept.set(id, running);
}

export const dropDigests = (id: string): void => void kept.delete(id);

/** Undefined when these are not the digests of a file of `size` bytes. */
export function digestsOf(id: string, size: number): Digests | undefined {
  const running = kept.get(id);
  if (running?.size !== size) return undefined;
  return { sha1: running.sha1.copy().digest(), sha256: running.sha256.copy().digest(), size };
}
