import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../media/file-placement.ts';

// Small files that tell what a folder is.

/** Name of the file that tells which library a folder belongs to. */
export const MARKER = '.safelight';

/** Returns the text of a mark; empty without one. */
export const readMark = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, name), 'utf8').then(
    (text) => text.trim(),
    () => '',
  );

/** Writes a mark durably, and makes the folder. */
export async function writeMark(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `${text}\n`, { flush: true });
  await syncPath(folder);
}
