import { statfs } from 'node:fs/promises';
import { StorageUnavailable } from '../../core/errors.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { reportDiskSpace } from './disk-space.domain.ts';
import type { checkDiskSpace } from './jobs.ts';

export const handleCheckDiskSpace: JobHandler<typeof checkDiskSpace> = async ({
  now,
  paths,
  settings,
}) => {
  const folders = [paths.root, paths.originals, paths.derived];
  const disks = await Promise.all(folders.map((folder) => statfs(folder).catch(() => undefined)));
  const [fullest] = disks
    .filter((disk) => disk !== undefined)
    .map(({ bsize, blocks, bavail }) => ({ size: bsize * blocks, available: bsize * bavail }))
    .toSorted((a, b) => a.available - b.available);
  if (!fullest) throw new StorageUnavailable(`${paths.root} cannot be reached`);
  const space = { ...fullest, reserve: settings.reserveBytes };
  return (tx) => reportDiskSpace(tx, space, now());
};
