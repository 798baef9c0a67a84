import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataPaths } from '../core/paths.ts';
import { isMarkOfDead } from './process-mark.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what crashed or cut-off uploads left in the incoming folder: files of a process that no
 * longer runs, and any file that nobody has written to for a day. Returns how many. For the start of
 * the server.
 */
export async function sweepIncoming(paths: DataPaths, now: Date = new Date()): Promise<number> {
  let removed = 0;
  for (const name of await readdir(paths.incoming).catch(() => [])) {
    const path = join(paths.incoming, name);
    const info = await stat(path).catch(() => undefined);
    if (!info?.isFile()) continue;
    const isOld = now.getTime() - info.mtimeMs > DAY_MS;
    if (!isOld && !isMarkOfDead(name.slice(name.indexOf('.') + 1))) continue;
    await unlink(path).catch(() => {});
    removed += 1;
  }
  return removed;
}
