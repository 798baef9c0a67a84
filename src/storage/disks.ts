import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  cp,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  symlink,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { explainDiskError } from '../core/disk-errors.ts';
import { getLeastFreeBytes } from '../core/disk-reserve.ts';
import { StorageUnavailable } from '../core/errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { getErrorCode, isWithoutLinks, syncPath } from '../media/file-placement.ts';
import { getProcessOwner } from '../media/process-stat.ts';
import { getScratchFolder } from './stored-file.ts';

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

// Tries the folders as uploads, removals and jobs use them: writing, syncing, hard links, renaming.

/** Folders in which a file is made, and those into which it is moved from there. */
const listMoves = (paths: DataPaths): readonly (readonly [string, string])[] => [
  [paths.incoming, paths.originals],
  [paths.originals, paths.removed],
  [getScratchFolder(paths), paths.derived],
  [paths.backups, paths.backups],
];

/** Name of the file that is moved. Other processes may try the same: it is replaced. */
const NAME = '.proof';

/** Results of the last tries of this process, by data folder. */
const faults = new Map<string, string>();

/** Returns why the folders of the library cannot take files, for the owner; undefined when they can. */
export async function findFolderFault(paths: DataPaths): Promise<string | undefined> {
  faults.delete(paths.root);
  for (const [from, to] of listMoves(paths)) {
    try {
      await tryMove(from, to);
    } catch (error) {
      const fault = explain(error, from, to);
      faults.set(paths.root, fault);
      return fault;
    }
  }
  return undefined;
}

/** Whether there is a library. */
export const hasFolders = ({ originals }: DataPaths): boolean => existsSync(originals);

/** Returns what the last try of this process has found, without another one. */
export const getFolderFault = ({ root }: Pick<DataPaths, 'root'>): string | undefined =>
  faults.get(root);

async function tryMove(from: string, to: string): Promise<void> {
  // When this process dies before it is renamed, it is removed with unfinished uploads.
  const source = join(from, `${randomUUID()}.${getProcessOwner()}`);
  const target = join(to, NAME);
  // Not the folder above them: below a disk that is away lies an empty one.
  for (const folder of [to, from]) await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting);
  try {
    const file = await open(source, 'wx', 0o600);
    await file.writeFile('proof');
    await file.sync();
    await file.close();
    await link(source, target).catch((error: unknown) => {
      if (getErrorCode(error) !== 'EEXIST' && !isWithoutLinks(error)) throw error;
    });
    await rm(target, { force: true });
    await rename(source, target);
    await syncPath(to);
  } finally {
    await Promise.all([source, target].map((path) => rm(path, { force: true })));
  }
}

function ignoreExisting(error: unknown): void {
  if (getErrorCode(error) !== 'EEXIST') throw error;
}

function explain(error: unknown, from: string, to: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EXDEV') {
    return `${from} and ${to} are on two disks, between which files cannot be moved: put both on one`;
  }
  return explainDiskError(error) ?? `${to} takes no files: ${message}`;
}

type Folders = Pick<DataPaths, 'root' | 'originals' | 'incoming' | 'removed'>;

/**
 * Puts the folders from which files are renamed into `originals`, or out of it, on the disk of `originals`, where that is
 * another one than that of the data folder: a rename does not cross disks. They lie below `originals` then, and links
 * take their places. Returns whether something has changed; after a crash the next call completes it.
 */
export async function placeStagingFolders({
  root,
  originals,
  incoming,
  removed,
}: Folders): Promise<boolean> {
  const { dev } = await stat(originals);
  if ((await stat(root)).dev === dev) return false;
  let hasChanged = false;
  for (const folder of [incoming, removed]) {
    const found = await stat(folder).catch(() => undefined);
    if (found?.dev === dev) continue;
    const name = `.${basename(folder)}`;
    const target = join(originals, name);
    await mkdir(target, { recursive: true, mode: 0o700 });
    if (found) await copyContents(folder, target);
    await rm(folder, { recursive: true, force: true });
    await symlink(join(basename(originals), name), folder);
    hasChanged = true;
  }
  if (hasChanged) await syncPath(root);
  return hasChanged;
}

/** Unfinished uploads have been acknowledged up to where they are. */
async function copyContents(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, preserveTimestamps: true });
  for (const name of await readdir(to, { recursive: true })) await syncPath(join(to, name));
  await syncPath(to);
}
