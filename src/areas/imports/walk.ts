import { type Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findPrivateKind } from './takeout/private-folders.ts';
import { isYearFolder } from './takeout/takeout.ts';

/** Hidden files, and folders and files that network storage, synchronisation and Windows add. */
const IGNORED =
  /^(?:\..*|@eaDir|@Recycle|@Recently-Snapshot|@tmp|#recycle|#snapshot|lost\+found|\$RECYCLE\.BIN|System Volume Information|Thumbs\.db|ehthumbs\.db|desktop\.ini)$/i;

export type Folder = {
  readonly path: string;
  /** Names of the regular files, sorted. */
  readonly names: readonly string[];
  /** Names of symbolic links, which are not followed. */
  readonly links?: readonly string[];
  /** The folder could not be read. */
  readonly error?: Error;
  /** The same folder in the other parts of an export, with files of other names. */
  readonly others?: readonly Folder[];
};

/** Returns the folder and the same one in other parts of an export. */
export const listParts = (folder: Folder): readonly Folder[] => [folder, ...(folder.others ?? [])];

/** Yields every folder below `root`, itself first, one at a time. Follows no symbolic links. */
export async function* walkFolders(root: string): AsyncGenerator<Folder, void> {
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { folders, ...folder } = await readFolder(path);
    yield folder;
    waiting.push(...sortFolders(folders).reverse());
  }
}

/** Reads one folder, with the paths of those in it. */
export async function readFolder(path: string): Promise<Folder & { readonly folders: string[] }> {
  const names: string[] = [];
  const folders: string[] = [];
  const links: string[] = [];
  try {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (IGNORED.test(entry.name)) continue;
      const kind = await getKind(path, entry);
      if (kind === 'file') names.push(entry.name);
      else if (kind === 'folder') folders.push(join(path, entry.name));
      else if (kind === 'link') links.push(entry.name);
    }
  } catch (error) {
    return { path, names: [], folders: [], error: error as Error };
  }
  return { path, names: names.sort(), folders, links: links.sort() };
}

/**
 * The locked folder of Takeout first, so that what is in another one, too, is locked; then the folders by year, which
 * know more of a photo than its albums do.
 */
const sortFolders = (folders: readonly string[]): string[] => {
  const rank = (path: string) =>
    findPrivateKind(path) === 'locked' ? 0 : isYearFolder(path) ? 1 : 2;
  return folders.toSorted().toSorted((one, other) => rank(one) - rank(other));
};

/** Some file systems do not tell the kind of an entry with its name. */
async function getKind(
  folder: string,
  entry: Dirent,
): Promise<'file' | 'folder' | 'link' | 'other'> {
  const isTold = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
  const kind = isTold ? entry : await lstat(join(folder, entry.name));
  if (kind.isFile()) return 'file';
  if (kind.isSymbolicLink()) return 'link';
  return kind.isDirectory() ? 'folder' : 'other';
}
