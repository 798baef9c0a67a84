import { readFullestDisk } from '../../storage/index.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { reportDiskSpace } from './disk-space.domain.ts';
import type { checkDiskSpace, recordLibrarySize } from './jobs.ts';
import * as store from './storage-forecast/library-size.store.ts';

export const handleCheckDiskSpace: JobHandler<typeof checkDiskSpace> = async ({
  now,
  paths,
  settings,
}) => {
  const { size, available } = await readFullestDisk(paths);
  const space = { size, available, reserve: settings.reserveBytes };
  return (tx) => reportDiskSpace(tx, space, now());
};

export const handleRecordLibrarySize: JobHandler<typeof recordLibrarySize> = async ({
  db,
  now,
}) => {
  const bytes = await store.sumFiles(db);
  return (tx) => store.saveSize(tx, now(), bytes);
};
