import type { Digests } from './digests.ts';

let hasher: ((file: Blob) => Promise<Digests>) | undefined;

/**
 * Computes the digests of a file in a worker: the page's policy runs no WebAssembly. It is loaded when first needed:
 * its chunk must not lead back to the chunk that starts the page.
 */
export async function hashFile(file: Blob): Promise<Digests> {
  hasher ??= (await import('./hash-worker.ts')).createHasher();
  return hasher(file);
}
