import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestoreDrill } from './schemas.ts';

// The last restore drill is told in a file beside the backups: a restore of the database keeps it.

const getPath = (folder: string) => join(folder, 'restore-drill.json');

/** The interval of what is written while a drill runs. */
export const HEARTBEAT_MS = 5000;
/** A drill without a sign of life for so long has ended with its process. */
const STALE_MS = 12 * HEARTBEAT_MS;

type Written = RestoreDrill & { readonly writtenAt: string };

export async function readDrill(folder: string, now: Date): Promise<RestoreDrill | undefined> {
  const text = await readFile(getPath(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { writtenAt, ...drill } = JSON.parse(text) as Written;
  const isStale = now.getTime() - Date.parse(writtenAt) > STALE_MS;
  if (drill.status !== 'running' || !isStale) return drill;
  return { ...drill, status: 'failed', error: 'The restore drill was interrupted.' };
}

export async function writeDrill(folder: string, drill: RestoreDrill): Promise<void> {
  const written: Written = { ...drill, writtenAt: new Date().toISOString() };
  const building = `${getPath(folder)}.partial`;
  await writeFile(building, JSON.stringify(written));
  await rename(building, getPath(folder));
}
