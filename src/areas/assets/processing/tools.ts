import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';
import { type ExifTool, openExifTool } from '../../../media/exiftool.ts';
import { closeImageChildren } from '../../../media/image-children.ts';

// What the job handlers of one thread share. Nothing is started before the first job needs it.

const exiftools = new Map<string, ExifTool>();

/** May read originals and derived files (sidecars), and write to the scratch folder. */
export function exifToolFor(paths: DataPaths, processes: number): ExifTool {
  let exiftool = exiftools.get(paths.root);
  if (!exiftool) {
    const scratch = join(paths.derived, 'scratch');
    // What does not exist yet when it starts, it could not write to later.
    mkdirSync(scratch, { recursive: true });
    const files = { read: [paths.originals, paths.derived], write: [scratch] };
    exiftool = openExifTool({ processes, files });
    exiftools.set(paths.root, exiftool);
  }
  return exiftool;
}

export async function closeTools(): Promise<void> {
  const open = [...exiftools.values()];
  exiftools.clear();
  await Promise.all([...open.map((exiftool) => exiftool.close()), closeImageChildren()]);
}

const PICTURES_PER_COLLECTION = 4;
let pictures = 0;

/**
 * Decoded pictures lie outside the heap that the collector watches: without a hint, a quarter of
 * the memory at the peak is pictures that nobody needs any more. Asked for, not waited for.
 */
export function forgetPictures(): void {
  pictures += 1;
  if (pictures % PICTURES_PER_COLLECTION === 0) Bun.gc(false);
}

const DAY_MS = 24 * 60 * 60 * 1000;
const made = new Map<string, Promise<string>>();

/** For intermediate files, on the file system of the derived ones. What a crash left is removed. */
export function scratchFolder(paths: DataPaths): Promise<string> {
  const folder = join(paths.derived, 'scratch');
  let making = made.get(folder);
  if (!making) {
    making = makeScratch(folder);
    made.set(folder, making);
    making.catch(() => made.delete(folder));
  }
  return making;
}

async function makeScratch(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    // Another process may be working here; no job runs for a day.
    if (info && Date.now() - info.mtimeMs > DAY_MS)
      await rm(path, { recursive: true, force: true });
  }
  return folder;
}

/** A name for a file that will be moved to its place when it is complete. */
export const scratchFile = async (paths: DataPaths, extension: string): Promise<string> =>
  join(await scratchFolder(paths), `${randomUUID()}.${extension}`);

/** Gives a complete file its name: readers see the old one or the new one, never a part. */
export async function publishDerived(paths: DataPaths, from: string, name: string): Promise<void> {
  const target = join(paths.derived, name);
  try {
    await rename(from, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(target), { recursive: true });
    await rename(from, target);
  }
}

/** The tag changes with the bytes, so that what did not change stays in caches. */
export async function writeDerived(
  paths: DataPaths,
  name: string,
  bytes: Uint8Array,
): Promise<{ readonly size: number; readonly tag: string }> {
  const from = await scratchFile(paths, 'part');
  await Bun.write(from, bytes);
  await publishDerived(paths, from, name);
  return { size: bytes.length, tag: Bun.hash(bytes).toString(36) };
}

/** Of an asset that was deleted while its files were made. */
export async function removeDerived(paths: DataPaths, names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => rm(join(paths.derived, name), { force: true })));
}
