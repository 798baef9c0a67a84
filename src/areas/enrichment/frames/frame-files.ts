import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';

/** Returns the folder for incomplete files, on the file system of the derived files. */
export async function scratchFolder(paths: DataPaths): Promise<string> {
  const folder = join(paths.derived, 'scratch');
  await mkdir(folder, { recursive: true });
  return folder;
}

/**
 * Writes a frame and renames it once `make` has completed it; undefined when `make` returns false.
 */
export async function writeFrame(
  paths: DataPaths,
  name: string,
  make: (target: string) => Promise<boolean>,
): Promise<{ readonly size: number; readonly tag: string } | undefined> {
  const from = join(await scratchFolder(paths), `${randomUUID()}.jpg`);
  try {
    if (!(await make(from))) return undefined;
    const bytes = await Bun.file(from).bytes();
    const target = join(paths.derived, name);
    await mkdir(dirname(target), { recursive: true });
    await rename(from, target);
    return { size: bytes.length, tag: Bun.hash(bytes).toString(36) };
  } finally {
    await rm(from, { force: true });
  }
}

export async function removeFrames(paths: DataPaths, names: Iterable<string>): Promise<void> {
  await Promise.all([...names].map((name) => rm(join(paths.derived, name), { force: true })));
}
