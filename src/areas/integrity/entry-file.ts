import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { AppError } from '../../core/errors.ts';
import type { DataPaths } from '../../core/paths.ts';

export type EntryFile = { readonly path: string; readonly size: number };

/**
 * Returns the regular file of an entry of the report; undefined when there is none, also where a link leads
 * out of the folders that are checked.
 */
export async function findEntryFile(
  { root, originals, derived }: DataPaths,
  path: string,
): Promise<EntryFile | undefined> {
  const tree = path.startsWith('originals/') ? originals : derived;
  try {
    const folder = await realpath(join(root, dirname(path)));
    const top = await realpath(tree);
    if (folder !== top && !folder.startsWith(`${top}${sep}`)) return undefined;
    const found = join(folder, basename(path));
    const info = await lstat(found);
    return info.isFile() ? { path: found, size: info.size } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

export const createUnknownEntryError = () =>
  new AppError('notFound', 'Integrity report not found', { detail: { code: 'not_found' } });
