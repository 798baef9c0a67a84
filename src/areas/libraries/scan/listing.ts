import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

/**
 * Returns whether the folders on the way to a file, from the given ones on, have the names of its path. File systems of
 * Windows and Macs find `Trip/a.jpg` at `trip/A.JPG`, too: the same file would be two. Each folder is read once.
 */
export function createListing(roots: readonly string[]): (path: string) => Promise<boolean> {
  const folders = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  const isListed = async (path: string): Promise<boolean> => {
    const folder = dirname(path);
    if (roots.includes(path) || folder === path) return true;
    let names = folders.get(folder);
    if (!names) folders.set(folder, (names = readNames(folder)));
    // A folder that may not be read tells nothing.
    return ((await names)?.has(basename(path)) ?? true) && isListed(folder);
  };
  return isListed;
}

const readNames = (folder: string): Promise<ReadonlySet<string> | undefined> =>
  readdir(folder).then(
    (names) => new Set(names),
    () => undefined,
  );
