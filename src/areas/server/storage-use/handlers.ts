import type { JobHandler } from '../../../jobs/define.ts';
import { listBackups } from '../../../maintenance/backup-files.ts';
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
    { ownerId: null, kind: 'backup', ...(await measureBackups(paths.backups)) },
    { ownerId: null, kind: 'database', files: '1', bytes: String(await store.measureDatabase(db)) },
  ];
  return (tx) => store.saveUses(tx, uses, measuredAt);
};

/** The backups alone: the folder has a marker and the state of restore drills, too. */
async function measureBackups(folder: string): Promise<{ files: string; bytes: string }> {
  const { backups } = await listBackups(folder);
  const bytes = backups.reduce((sum, { filesize }) => sum + filesize, 0);
  return { files: String(backups.length), bytes: String(bytes) };
}
