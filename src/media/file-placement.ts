import { randomUUID } from 'node:crypto';
import { copyFile, link, mkdir, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { reach } from '../core/fault-points.ts';
import type { DataPaths } from '../core/paths.ts';
import { getProcessOwner } from './process-stat.ts';

/** Error codes of file systems without hard links (exFAT, some network shares). */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Returns whether a link failed because the file system has none. */
export const isWithoutLinks = (error: unknown): boolean => NO_LINKS.has(getErrorCode(error));

/** Outcome of a placement; 'kept': the name existed with the same size. */
export type Placement = 'linked' | 'kept' | 'replaced';

export type LinkOptions = {
  /** Size of the file in bytes. */
  readonly size: number;
  /** Replaces a file of the same length, too, because its bytes may differ. */
  readonly isDoubted?: boolean | undefined;
};

/**
 * Gives the file a second name below `paths.root`, in folders that survive a power loss; the name
 * itself does so once its folder is synced. A file that has the name already and is as long is kept;
 * one of another length is damaged, and is replaced in one step.
 */
export async function linkIntoPlace(
  paths: DataPaths,
  from: string,
  target: string,
  options: LinkOptions,
): Promise<Placement> {
  const folder = dirname(target);
  await makeFolders(paths.root, folder);
  reach('folders.made');
  try {
    await link(from, target);
    return 'linked';
  } catch (error) {
    const code = getErrorCode(error);
    if (code === 'EEXIST') return keepOrReplace(paths, from, target, options);
    if (code === 'ENOENT') {
      // Somebody tidied up empty folders.
      made.delete(folder);
      await makeFolders(paths.root, folder);
      await link(from, target);
      return 'linked';
    }
    if (!isWithoutLinks(error)) throw error;
    if (await stat(target).catch(() => undefined)) {
      return keepOrReplace(paths, from, target, options);
    }
    await copyInto(paths, from, target);
    return 'linked';
  }
}

async function keepOrReplace(
  paths: DataPaths,
  from: string,
  target: string,
  { size, isDoubted = false }: LinkOptions,
): Promise<Placement> {
  const found = await stat(target);
  if (!found.isFile()) throw new Error(`${target} is no file: not overwritten`);
  if (found.size === size && !isDoubted) return 'kept';
  const name = join(paths.incoming, `${randomUUID()}.${getProcessOwner()}`);
  try {
    await link(from, name);
    // Readers that have the damaged file open keep it.
    await rename(name, target);
    // A name of the same file is left where it is.
    await unlink(name).catch(ignoreMissing);
  } catch (error) {
    await unlink(name).catch(() => {});
    if (!isWithoutLinks(error)) throw error;
    await copyInto(paths, from, target);
  }
  return 'replaced';
}

/** Readers see nothing or the whole file. */
async function copyInto(paths: DataPaths, from: string, target: string): Promise<void> {
  const copy = join(paths.incoming, `${randomUUID()}.${getProcessOwner()}`);
  try {
    await copyFile(from, copy);
    await syncPath(copy);
    await rename(copy, target);
  } catch (error) {
    await unlink(copy).catch(() => {});
    throw error;
  }
}

/** Folders that are known to survive a power loss. */
const made = new Map<string, Promise<void>>();

/**
 * Makes the folders below `root` and makes each entry durable, also those that another upload made
 * a moment ago: it may not have come to its own fsync yet.
 */
function makeFolders(root: string, folder: string): Promise<void> {
  let making = made.get(folder);
  if (!making) {
    making = makeEach(root, folder);
    made.set(folder, making);
    making.catch(() => made.delete(folder));
  }
  return making;
}

async function makeEach(root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  let at = root;
  for (const part of relative(root, folder).split(sep)) {
    await syncPath(at);
    at = join(at, part);
  }
}

/** Syncs a file or folder: its content survives a power loss afterwards. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export const getErrorCode = (error: unknown): string =>
  String((error as NodeJS.ErrnoException).code);

export function ignoreMissing(error: unknown): void {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}
