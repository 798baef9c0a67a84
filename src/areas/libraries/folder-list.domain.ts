import type { Dirent } from 'node:fs';
import { opendir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeDenied } from '../../core/access-remedy.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { readConfig } from '../system-config/index.ts';
import { findPathFault, isInside, normalizeFolder } from './import-path.ts';
import type { LibraryFolder, LibraryFolderQuery } from './schemas.ts';

const MAX_FOLDERS = 2_000;

/**
 * Lists the folders in a folder, for the choice of an import path: those of the configuration, and what is
 * below them. Symbolic links are not followed. Throws 400 for any other folder.
 */
export async function listFolders(ctx: Ctx, { path }: LibraryFolderQuery): Promise<LibraryFolder> {
  const roots = await listRoots(ctx);
  if (path === undefined) {
    return { path: null, parent: null, fault: null, folders: roots, isTruncated: false };
  }
  const folder = normalizeFolder(path);
  if (!roots.some((root) => isInside(root, folder)) || (await resolve(folder)) !== folder) {
    throw badRequest('The folder is not below one that libraries may be chosen from');
  }
  const parent = roots.includes(folder) ? null : dirname(folder);
  const immichFault = await findPathFault(ctx.paths, folder);
  const fault = (immichFault && (describeDenied(folder, 'read') ?? immichFault)) ?? null;
  const found = await readFolders(folder);
  return {
    path: folder,
    parent,
    fault,
    folders: found.slice(0, MAX_FOLDERS),
    isTruncated: found.length > MAX_FOLDERS,
  };
}

/** Returns the real paths of the folders of the configuration that are there, without those in others. */
async function listRoots({ db }: Ctx): Promise<string[]> {
  const { folders } = (await readConfig(db, 'libraries')).libraries;
  const found = await Promise.all(folders.map(resolve));
  const roots = [...new Set(found.flatMap((path) => path ?? []))].sort();
  return roots.filter((root) => !roots.some((one) => one !== root && isInside(one, root)));
}

const resolve = (path: string): Promise<string | undefined> =>
  realpath(path).catch(() => undefined);

/** Returns the folders that can be seen, up to one more than are shown; none for one that may not be read. */
async function readFolders(path: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const entry of await opendir(path)) {
      if (isShown(entry)) names.push(entry.name);
      if (names.length > MAX_FOLDERS) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ENOTDIR') throw error;
  }
  return names.sort((one, other) => one.localeCompare(other)).map((name) => join(path, name));
}

const isShown = (entry: Dirent): boolean => entry.isDirectory() && !entry.name.startsWith('.');
