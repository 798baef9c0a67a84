import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { explainDiskError } from '../core/disk-errors.ts';
import type { DataPaths } from '../core/paths.ts';
import { getErrorCode, isWithoutLinks, syncPath } from '../media/file-placement.ts';
import { getProcessOwner } from '../media/process-owner.ts';
import { getScratchFolder } from './scratch.ts';

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
