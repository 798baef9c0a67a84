import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { reach } from '../../core/fault-points.ts';
import { getDescriptorPath, withFolder } from '../../core/guarded-path.ts';
import type { DataPaths } from '../../core/paths.ts';
import { getErrorCode, syncPath } from '../../media/file-placement.ts';
import { findFile } from '../integrity/index.ts';
import { getUploadSpace } from '../../storage/index.ts';

// Moves of the former files of copies. Each can be repeated after a crash at any point: the bytes are always
// complete in at least one of the two places. Others may change the folders that the files are in: they are
// moved out of a folder that was opened without links, and into one, whatever its path leads to meanwhile.

/** A file cannot be moved, for a reason that an administrator can do something about. */
export class FileMoveError extends Error {
  override readonly name = 'FileMoveError';
}

export type FormerFile = { readonly id: string; readonly path: string; readonly size: number };

/** Where the former file of a copy is until it is deleted. */
export const getQuarantinePath = ({ removed }: DataPaths, copyId: string): string =>
  join(removed, 'copies', copyId);

/** True for anything that is there, also a link. */
export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw error;
    },
  );

/**
 * Moves a former file to the quarantine, unless that was done. Throws FileMoveError when it is no longer in
 * the state `verified`: somebody has put other bytes there.
 */
export async function moveToQuarantine(
  ctx: Pick<Deps, 'paths' | 'settings'>,
  file: FormerFile,
  verified: string | undefined,
): Promise<void> {
  const target = getQuarantinePath(ctx.paths, file.id);
  if (!(await exists(file.path))) {
    if (await exists(target)) return;
    throw new FileMoveError('The file is gone');
  }
  await explainErrors(() =>
    withFolder(dirname(file.path), async (folder) => {
      const path = join(folder, basename(file.path));
      await requireUnchanged(path, verified);
      await mkdir(dirname(target), { recursive: true });
      await moveFile(ctx, { ...file, path }, { target, verified });
      reach('copy.moved');
      await syncFolders(dirname(target), folder);
    }),
  );
}

async function moveFile(
  { paths, settings }: Pick<Deps, 'paths' | 'settings'>,
  { id, path, size }: FormerFile,
  { target, verified }: { readonly target: string; readonly verified: string | undefined },
): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    if (getErrorCode(error) !== 'EXDEV') throw error;
    await requireWritable(dirname(path), id);
    if (getUploadSpace(paths) - settings.reserveBytes < size) {
      throw new FileMoveError('The quarantine is on another disk, which has no space for the file');
    }
    await copyAcross(path, target);
    reach('copy.copied');
    await requireUnchanged(path, verified);
    await unlink(path);
  }
}

async function requireUnchanged(path: string, verified: string | undefined): Promise<void> {
  if ((await findFile(path)).file !== verified) throw new FileMoveError('The file has changed');
}

/** Moves a file from the quarantine to where it was. Never replaces a file. */
export async function moveBack(paths: DataPaths, { id, path }: FormerFile): Promise<void> {
  await explainErrors(() =>
    withFolder(dirname(path), async (folder) => {
      await place(getQuarantinePath(paths, id), join(folder, basename(path)), id);
      reach('restore.placed');
      await syncFolders(folder);
    }),
  );
  await deleteQuarantined(paths, id);
  reach('restore.moved');
}

/** Deletes the former file of a copy from the quarantine, if it is there. */
export async function deleteQuarantined(paths: DataPaths, copyId: string): Promise<void> {
  const path = getQuarantinePath(paths, copyId);
  if (!(await exists(path))) return;
  await unlink(path);
  await syncFolders(dirname(path));
}

/** Gives a file a name that no other has. */
async function place(source: string, path: string, id: string): Promise<void> {
  try {
    await link(source, path);
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EXDEV') {
      const part = join(dirname(path), `.safelight-${id}.part`);
      await copyAcross(source, part);
      try {
        await place(part, path, id);
      } finally {
        await unlink(part);
      }
    } else if (code === 'EPERM' || code === 'EOPNOTSUPP' || code === 'ENOTSUP') {
      // A file system without hard links.
      await copyNew(source, path);
    } else throw error;
  }
}

/** Copies a file to another disk, with its time; it appears when it is complete. */
async function copyAcross(source: string, target: string): Promise<void> {
  const part = join(dirname(target), `.${basename(target)}.part`);
  // An interrupted move has left it.
  await rm(part, { force: true });
  await copyNew(source, part);
  await rename(part, target);
  await syncFolders(dirname(target));
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Copies a file with its time, durably. Neither path may be a link; the target may not be there. */
async function copyNew(source: string, target: string): Promise<void> {
  const from = await open(source, READ);
  try {
    const { atime, mtime } = await from.stat();
    await copyFile(getDescriptorPath(from.fd), target, constants.COPYFILE_EXCL);
    const file = await open(target, READ);
    try {
      await file.utimes(atime, mtime);
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await from.close();
  }
}

async function requireWritable(folder: string, id: string): Promise<void> {
  const probe = join(folder, `.safelight-${id}.probe`);
  const file = await open(probe, 'wx');
  await file.close();
  await unlink(probe);
}

/** Not every file system of an external library can do it. */
const syncFolders = (...folders: readonly string[]): Promise<unknown> =>
  Promise.all(folders.map((folder) => syncPath(folder).catch(() => {})));

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'The folder is not writable',
  EPERM: 'The folder is not writable',
  EROFS: 'The folder is not writable',
  ENOENT: 'The folder or the file is gone',
  ENOSPC: 'The disk is full',
  EEXIST: 'Another file is there',
  ELOOP: 'A folder of the path is a symbolic link',
  ENOTDIR: 'A folder of the path is a symbolic link',
};

async function explainErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const reason = REASONS[getErrorCode(error)];
    throw reason ? new FileMoveError(reason, { cause: error }) : error;
  }
}
