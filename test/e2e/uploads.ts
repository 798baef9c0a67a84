import { randomFillSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { photo } from './browser.ts';

/** Size in bytes of files that take long enough to be disturbed. */
export const LARGE = 6_000_000;

/** Saves a large picture that decodes, and goes on after its end. Chosen by its path, it need not be sent to the browser. */
export async function saveLarge(folder: string, name: string, taken: string): Promise<string> {
  const { buffer } = await photo(name, taken);
  return save(join(folder, name), buffer, LARGE);
}

/** Saves a file of this size in bytes that ends with noise. Returns its path. */
export async function save(path: string, content: Buffer, size: number): Promise<string> {
  const noise = randomFillSync(Buffer.alloc(size - content.length));
  await writeFile(path, Buffer.concat([content, noise]));
  return path;
}
