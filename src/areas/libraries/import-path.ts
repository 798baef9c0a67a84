import { access, constants, realpath, stat } from 'node:fs/promises';
import { isAbsolute, normalize, resolve, sep } from 'node:path';
import type { DataPaths } from '../../core/paths.ts';

/** True for the folder itself, too. Both are absolute and normalized. */
export const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Returns a path without `.`, `..`, double slashes and a slash at the end. */
export const normalizeFolder = (path: string): string => {
  const normalized = normalize(path);
  return normalized.length > 1 ? normalized.replace(/\/+$/, '') : normalized;
};

/** Returns why a folder cannot be imported; undefined if it can. */
export async function findPathFault(paths: DataPaths, path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return `Import path must be absolute, try ${resolve(path)}`;
  if (path.includes('\0')) return 'Import path must not contain a null character';
  const folder = normalizeFolder(path);
  const isInData = (one: string) => isInside(paths.root, one) || isInside(one, paths.root);
  if (isInData(folder)) return 'Cannot use media upload folder for external libraries';
  try {
    if (!(await stat(folder)).isDirectory()) return 'Not a directory';
    // A link into the data folder would show it.
    const target = await realpath(folder);
    if (isInData(target)) return 'Cannot use media upload folder for external libraries';
    if (target !== folder) return `Symbolic link: use ${target} instead`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'Path does not exist (ENOENT)' : String(error);
  }
  const isReadable = await access(folder, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  return isReadable ? undefined : 'Lacking read permission for folder';
}
