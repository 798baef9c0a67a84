import { sha1OfFile } from './sha1.ts';

let hasher: ((file: Blob) => Promise<string>) | undefined;

/** SHA-1 as hex, off the main thread where that is possible. */
export async function hashFile(file: Blob): Promise<string> {
  try {
    if (!hasher) {
      const { createHasher } = await import('./hash-worker.ts');
      hasher = createHasher();
    }
    return await hasher(file);
  } catch {
    return sha1OfFile(file);
  }
}
