import { statfs } from 'node:fs/promises';
import { getLeastFreeBytes } from '../core/disk-reserve.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';

// Originals and derived files may lie on other disks than the data folder.

type Disk = {
  /** In bytes. */
  readonly size: number;
  /** Bytes that this user may fill. */
  readonly available: number;
  /** Bytes that are taken. */
  readonly used: number;
};

/** Returns the folders whose disks uploads and their jobs fill, the data folder first. */
export const listLibraryFolders = (paths: DataPaths): [string, ...string[]] => [
  paths.root,
  paths.originals,
  paths.derived,
];

/** Returns the bytes that are free for uploads. */
export const getUploadSpace = ({ root, originals }: DataPaths): number =>
  getLeastFreeBytes(root, originals);

/** Returns the disk that holds the originals. */
export const readOriginalsDisk = async ({ root, originals }: DataPaths): Promise<Disk> =>
  (await findDisk(originals)) ?? requireDisk(root);

/** Returns the disk of the library on which least is available. Throws StorageUnavailable. */
export async function readFullestDisk(paths: DataPaths): Promise<Disk> {
  const first = await requireDisk(paths.root);
  const others = await Promise.all(listLibraryFolders(paths).map(findDisk));
  return others.reduce<Disk>(
    (fullest, disk) => (disk && disk.available < fullest.available ? disk : fullest),
    first,
  );
}

async function requireDisk(folder: string): Promise<Disk> {
  const disk = await findDisk(folder);
  if (!disk) throw new StorageUnavailable(`${folder} cannot be reached`);
  return disk;
}

const findDisk = (folder: string): Promise<Disk | undefined> =>
  statfs(folder).then(
    ({ bsize, blocks, bfree, bavail }) => ({
      size: bsize * blocks,
      available: bsize * bavail,
      used: bsize * (blocks - bfree),
    }),
    () => undefined,
  );
