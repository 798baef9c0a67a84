import { basename, join } from 'node:path';
import { readText } from './bounded-file.ts';
import type { Facts, ImportedAlbum } from './facts.ts';
import { readDetails } from './folder-facts.ts';
import { addDetails, findListedAlbum, isPhotosFolder, parseAlbumList } from './icloud/icloud.ts';
import { findLayout, type Layout } from './layout.ts';
import { listMediaFiles } from './media-files.ts';
import { mergeParts, toPathInPart } from './parts.ts';
import { openPhotoPrism, type PhotoPrism } from './photoprism/sidecars.ts';
import { isYearFolder } from './takeout/takeout.ts';
import { type Folder, walkFolders } from './walk.ts';
import { toNameKey } from '../../media/formats.ts';

/** Program whose folder it is; 'other': nothing but folders and files. */
export type Program = Layout['program'] | 'takeout' | 'icloud';

export type Survey = {
  readonly program: Program;
  /** Yields the folders with photos and videos, as walkFolders does, with their parts. */
  readonly walk: () => AsyncGenerator<Folder, void>;
  readonly photoPrism: PhotoPrism;
  /** Number of photos and videos, for the progress. */
  readonly total: number;
  /** Finds the albums of iCloud that list a file of this name, in whichever part it is. */
  readonly findAlbums: (name: string) => readonly ImportedAlbum[];
  /** Titles of those albums. */
  readonly titles: ReadonlySet<string>;
  /** Finds what a list in another part of the export of iCloud says of a file of this name. */
  readonly findDetails: (name: string) => Facts | undefined;
  /** Yields the entries of albums that name no file, or more than one. */
  readonly listUnresolved: () => Iterable<{
    readonly name: string;
    readonly album: string;
    readonly isAmbiguous: boolean;
  }>;
};

const MAX_LIST_BYTES = 16 * 1024 ** 2;

/** Reads the names below the folder, of which it keeps only those that a list of iCloud has. */
export async function surveyFolder(root: string): Promise<Survey> {
  const layout = await findLayout(root);
  const walk = () => walkAll(layout.roots);
  const albums = await readAlbumLists(walk());
  let { program }: { program: Program } = layout;
  const files = new Map<string, number>();
  const strays = new Map<string, Facts>();
  const parts = new Map<string, string[]>();
  let total = 0;
  for await (const { path, names, error } of walk()) {
    const media = listMediaFiles([{ path, names }]).map(({ name }) => name);
    total += media.length;
    if (isYearFolder(path)) program = 'takeout';
    const part = toPathInPart(path);
    if (part !== undefined && !error) parts.set(part, [...(parts.get(part) ?? []), path]);
    if (!isPhotosFolder(path)) continue;
    program = 'icloud';
    for (const name of media) {
      if (albums.has(name)) files.set(name, (files.get(name) ?? 0) + 1);
    }
    await addStrays(strays, path, names);
  }
  const isAmbiguous = (name: string) => (files.get(name) ?? 0) > 1;
  return {
    program,
    walk: () => mergeParts(walk(), parts),
    photoPrism: await openPhotoPrism(layout),
    total,
    findAlbums: (name) =>
      isAmbiguous(name) ? [] : (albums.get(name) ?? []).map((title) => ({ title })),
    findDetails: (name) => strays.get(toNameKey(name)),
    titles: new Set([...albums.values()].flat()),
    *listUnresolved() {
      for (const [name, titles] of albums) {
        const count = files.get(name) ?? 0;
        if (count === 1) continue;
        for (const album of titles) yield { name, album, isAmbiguous: count > 1 };
      }
    },
  };
}

/** Adds the rows of lists whose files are not in the folder: another part of the export has them. */
async function addStrays(
  strays: Map<string, Facts>,
  folder: string,
  names: readonly string[],
): Promise<void> {
  const here = new Set(names.map(toNameKey));
  for (const [key, facts] of await readDetails(folder, names)) {
    if (!here.has(key)) addDetails(strays, key, facts);
  }
}

async function* walkAll(roots: readonly string[]): AsyncGenerator<Folder, void> {
  for (const root of roots) yield* walkFolders(root);
}

async function readAlbumLists(folders: AsyncIterable<Folder>): Promise<Map<string, string[]>> {
  const albums = new Map<string, string[]>();
  for await (const { path, names } of folders) {
    if (basename(path) !== 'Albums') continue;
    for (const name of names) {
      const title = findListedAlbum(join(path, name));
      if (!title) continue;
      const listed = parseAlbumList((await readText(join(path, name), MAX_LIST_BYTES)) ?? '');
      for (const photo of new Set(listed)) albums.set(photo, [...(albums.get(photo) ?? []), title]);
    }
  }
  return albums;
}
