import { chmod, lstat, opendir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type GroupAccess, isSharedFolder } from './data-folder.ts';
import { type DataPaths } from './paths.ts';

const RECORD = '.permissions';

/**
 * Removes permissions that other settings or earlier versions granted from all files of the data folder,
 * and returns how many were changed. A record makes it run once per setting. Nothing depends on when it
 * ends, since the top folders are restricted before (see enterDataFolder).
 */
export async function restrictPermissions(
  paths: DataPaths,
  groupAccess: GroupAccess,
  signal: AbortSignal,
): Promise<number> {
  const record = join(paths.root, RECORD);
  const recorded = await readFile(record, 'utf8').catch(() => '');
  if (recorded.trim() === groupAccess) return 0;
  let changed = 0;
  for (const folder of Object.values(paths)) {
    // The database closes its own folder.
    if (folder === paths.root || folder === paths.postgres) continue;
    const isShared = groupAccess === 'read' && isSharedFolder(basename(folder));
    for await (const path of listEntriesBelow(folder)) {
      if (signal.aborted) return changed;
      if (await restrictEntry(path, isShared)) changed += 1;
    }
  }
  await writeFile(record, `${groupAccess}\n`);
  return changed;
}

/** Lists folders and regular files, without the top folder. */
async function* listEntriesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch(() => undefined);
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    if (!entry.isDirectory()) continue;
    yield path;
    yield* listEntriesBelow(path);
  }
}

async function restrictEntry(path: string, isShared: boolean): Promise<boolean> {
  try {
    const { mode } = await lstat(path);
    const owner = mode & 0o700;
    // The group reads what the owner reads, and enters what the owner enters.
    const wanted = isShared ? owner | ((owner >> 3) & 0o050) : owner;
    if ((mode & 0o777) === wanted) return false;
    await chmod(path, wanted);
    return true;
  } catch {
    // Gone meanwhile, or another user's, who alone can change it.
    return false;
  }
}
