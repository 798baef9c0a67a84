import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dumpDatabase } from '../../../db/dump.ts';

// Dumps of the schedule have a name of their own: those that somebody has made are never deleted.

const NAME = 'safelight-scheduled-';
const isScheduled = (file: string) => file.startsWith(NAME) && file.endsWith('.dump');
/** A killed backup leaves it. */
const isUnfinished = (file: string) => file.startsWith(NAME) && file.endsWith('.partial');

/** '20260102T030405Z' */
export const toStamp = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');

/** Writes a dump to the folder. It appears when it is complete. Throws Failure, or the abort reason. */
export async function writeBackup(
  url: string,
  folder: string,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await removeAll(folder, (await readdir(folder)).filter(isUnfinished));
  await dumpDatabase(url, join(folder, `${NAME}${toStamp(now)}.dump`), { signal });
}

/** Deletes all dumps of the schedule but the newest. */
export async function pruneBackups(folder: string, keep: number): Promise<void> {
  const dumps = (await readdir(folder)).filter(isScheduled).sort();
  await removeAll(folder, dumps.slice(0, Math.max(0, dumps.length - keep)));
}

const removeAll = (folder: string, names: readonly string[]) =>
  Promise.all(names.map((name) => rm(join(folder, name), { force: true })));
