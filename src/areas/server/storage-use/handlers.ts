import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobHandler } from '../../../jobs/define.ts';
import type { measureStorage } from '../jobs.ts';
import * as store from './store.ts';

export const handleMeasureStorage: JobHandler<typeof measureStorage> = async ({
  db,
  now,
  paths,
}) => {
  // Before it is measured: whoever asked afterwards waits for the next one.
  const measuredAt = now();
  const uses = [
    ...(await store.measureFiles(db)),
    ...(await store.measureParts(db)),
    { ownerId: null, kind: 'backup', ...(await measureFolder(paths.backups)) },
    { ownerId: null, kind: 'database', files: '1', bytes: String(await store.measureDatabase(db)) },
  ];
  return (tx) => store.saveUses(tx, uses, measuredAt);
};

/** Returns the files that lie in a folder. A file that goes meanwhile does not count. */
async function measureFolder(folder: string): Promise<{ files: string; bytes: string }> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  const sizes = found.flatMap((one) => (one?.isFile() ? [one.size] : []));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { files: String(sizes.length), bytes: String(bytes) };
}
