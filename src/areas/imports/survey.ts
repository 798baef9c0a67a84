import { basename, join } from 'node:path';
import { getMediaType } from '../../media/formats.ts';
import { readText } from './folder-facts.ts';
import { findListedAlbum, isPhotosFolder, parseAlbumList } from './icloud/icloud.ts';
import { walkFolders } from './walk.ts';

export type Survey = {
  /** Number of photos and videos, for the progress. */
  readonly total: number;
  /** Titles of the albums of iCloud that list a file of this name, in whichever part it is. */
  readonly findAlbums: (name: string) => readonly string[];
  /** Number of entries of albums that name more than one file. */
  readonly ambiguous: number;
};

const MAX_LIST_BYTES = 16 * 1024 ** 2;

/** Reads the names below the folder, of which it keeps only those that an album of iCloud lists. */
export async function surveyFolder(root: string): Promise<Survey> {
  const albums = await readAlbumLists(root);
  const files = new Map<string, number>();
  let total = 0;
  for await (const { path, names } of walkFolders(root)) {
    const media = names.filter((name) => getMediaType(name));
    total += media.length;
    if (!isPhotosFolder(path)) continue;
    for (const name of media) {
      if (albums.has(name)) files.set(name, (files.get(name) ?? 0) + 1);
    }
  }
  const isAmbiguous = (name: string) => (files.get(name) ?? 0) > 1;
  const ambiguous = [...albums]
    .filter(([name]) => isAmbiguous(name))
    .flatMap(([, titles]) => titles);
  return {
    total,
    findAlbums: (name) => (isAmbiguous(name) ? [] : (albums.get(name) ?? [])),
    ambiguous: ambiguous.length,
  };
}

async function readAlbumLists(root: string): Promise<Map<string, string[]>> {
  const albums = new Map<string, string[]>();
  for await (const { path, names } of walkFolders(root)) {
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
