import { cp, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';
import { syncPath } from '../media/file-placement.ts';

type Folders = Pick<DataPaths, 'root' | 'originals' | 'incoming' | 'removed'>;

/**
 * Puts the folders from which files are renamed into `originals`, or out of it, on the disk of `originals`, where that is
 * another one than that of the data folder: a rename does not cross disks. They lie below `originals` then, and links
 * take their places. Returns whether something has changed; after a crash the next call completes it.
 */
export async function placeStagingFolders({
  root,
  originals,
  incoming,
  removed,
}: Folders): Promise<boolean> {
  const { dev } = await stat(originals);
  if ((await stat(root)).dev === dev) return false;
  let hasChanged = false;
  for (const folder of [incoming, removed]) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.dev === dev) continue;
    const name = `.${basename(folder)}`;
    const target = join(originals, name);
    await mkdir(target, { recursive: true, mode: 0o700 });
    if (found) await copyContents(folder, target);
    await rm(folder, { recursive: true, force: true });
    await symlink(join(basename(originals), name), folder);
    hasChanged = true;
  }
  if (hasChanged) await syncPath(root);
  return hasChanged;
}

/** Unfinished uploads have been acknowledged up to where they are. */
async function copyContents(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, preserveTimestamps: true });
  for (const name of await readdir(to, { recursive: true })) await syncPath(join(to, name));
  await syncPath(to);
}
