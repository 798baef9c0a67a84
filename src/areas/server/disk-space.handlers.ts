import { statfs } from 'node:fs/promises';
import type { JobHandler } from '../../jobs/define.ts';
import { reportDiskSpace } from './disk-space.domain.ts';
import type { checkDiskSpace } from './jobs.ts';

export const handleCheckDiskSpace: JobHandler<typeof checkDiskSpace> = async ({
  now,
  paths,
  settings,
}) => {
  const { bsize, blocks, bavail } = await statfs(paths.root);
  const space = { size: bsize * blocks, available: bsize * bavail, reserve: settings.reserveBytes };
  return (tx) => reportDiskSpace(tx, space, now());
};
