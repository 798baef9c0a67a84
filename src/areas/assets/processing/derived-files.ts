import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DataPaths } from '../../../core/paths.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const scratchFolders = new Map<string, Promise<string>>();

/**
 * Returns the folder for intermediate files, on the same file system as derived files. On first use it
 * deletes files older than a day, which a crash left behind.
 */
export function ensureScratchFolder(paths: DataPaths): Promise<string> {
  const folder = join(paths.derived, 'scratch');
  let making = scratchFolders.get(folder);
  if (!making) {
    making = createScratchFolder(folder);
    scratchFolders.set(folder, making);
    making.catch(() => scratchFolders.delete(folder));
  }
  return making;
}

async function createScratchFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => undefined);
    // Another process may be working here, but no job runs for a day.
    if (info && Date.now() - info.mtimeMs > DAY_MS)
      await rm(path, { recursive: true, force: true });
  }
  return folder;
}

/** Returns a unique path in the scratch folder. */
export const createScratchPath = async (paths: DataPaths, extension: string): Promise<string> =>
  join(await ensureScratchFolder(paths), `${randomUUID()}.${extension}`);

/** Renames a complete file to its final name atomically. `name` is relative to the derived folder. */
export async function publishDerivedFile(
  paths: DataPaths,
  from: string,
  name: string,
): Promise<void> {
  const target = join(paths.derived, name);
  try {
    await rename(from, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(target), { recursive: true });
    await rename(from, target);
  }
}

/** Writes a derived file atomically. Returns its size in bytes and an ETag computed from its bytes. */
export async function writeDerivedFile(
  paths: DataPaths,
  name: string,
  bytes: Uint8Array,
): Promise<{ readonly size: number; readonly tag: string }> {
  const from = await createScratchPath(paths, 'part');
  await Bun.write(from, bytes);
  await publishDerivedFile(paths, from, name);
  return { size: bytes.length, tag: Bun.hash(bytes).toString(36) };
}

export async function deleteDerivedFiles(
  paths: DataPaths,
  names: readonly string[],
): Promise<void> {
  await Promise.all(names.map((name) => rm(join(paths.derived, name), { force: true })));
}
