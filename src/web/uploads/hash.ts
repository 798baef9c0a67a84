import type { Digests } from './digests.ts';

let hasher: ((file: Blob) => Promise<Digests>) | undefined;

/**
 * Digests of a file, off the main thread where that is possible. Both parts are loaded when first
 * needed: the worker's chunk must not lead back to the chunk that starts the page.
 */
export async function hashFile(file: Blob): Promise<Digests> {
  try {
    if (!hasher) {
      const { createHasher } = await import('./hash-worker.ts');
      hasher = createHasher();
    }
    return await hasher(file);
  } catch {
    const { computeDigests } = await import('./digests.ts');
    return computeDigests(file);
  }
}
