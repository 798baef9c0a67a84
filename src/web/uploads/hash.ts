let hasher: ((file: Blob) => Promise<string>) | undefined;

/**
 * SHA-1 as hex, off the main thread where that is possible. Both parts are loaded when first
 * needed: the worker's chunk must not lead back to the chunk that starts the page.
 */
export async function hashFile(file: Blob): Promise<string> {
  try {
    if (!hasher) {
      const { createHasher } = await import('./hash-worker.ts');
      hasher = createHasher();
    }
    return await hasher(file);
  } catch {
    const { sha1OfFile } = await import('./sha1.ts');
    return sha1OfFile(file);
  }
}
