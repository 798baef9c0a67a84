import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';
import { isMarkOfDead } from './process-mark.ts';

/** '<uuid>.<mark>'; a file without a mark belongs to a resumable upload, which knows its own age. */
const MARKED = /^[\da-f-]{36}\.(.+)$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what crashed or cut-off uploads left in the incoming folder: files of a process that no
 * longer runs, and any file that nobody has written to for a day. Returns how many. For the start of
 * the server.
 */
export async function sweepIncoming(paths: DataPaths, now: Date = new Date()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(paths.incoming).catch(() => [])) {
    const mark = MARKED.exec(name)?.[1];
    if (mark === undefined) continue;
    const path = join(paths.incoming, name);
    const info = await stat(path).catch(() => undefined);
    if (!info?.isFile()) continue;
    const isOld = now.getTime() - info.mtimeMs > DAY_MS;
    if (!isOld && !isMarkOfDead(mark)) continue;
    await unlink(path).catch(() => {});
    removed += 1;
  }
  return removed;
}
