import { readFullestDisk } from '../../storage/index.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { reportDiskSpace } from './disk-space.domain.ts';
import type { checkDiskSpace } from './jobs.ts';

export const handleCheckDiskSpace: JobHandler<typeof checkDiskSpace> = async ({
  now,
  paths,
  settings,
}) => {
  const { size, available } = await readFullestDisk(paths);
  const space = { size, available, reserve: settings.reserveBytes };
  return (tx) => reportDiskSpace(tx, space, now());
};
