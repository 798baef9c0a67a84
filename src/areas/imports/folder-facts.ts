import { basename, join, parse } from 'node:path';
import { getMediaType } from '../../media/formats.ts';
import { readText } from './bounded-file.ts';
import type { Facts } from './facts.ts';
import { isPhotosFolder, isRecentlyDeleted, parsePhotoDetails } from './icloud/icloud.ts';
import type { PhotoPrism } from './photoprism/sidecars.ts';
import { createJsonFinder } from './takeout/json-names.ts';
import { isYearFolder, parseAlbumTitle, parseTakeoutPhoto } from './takeout/takeout.ts';
import type { Folder } from './walk.ts';

/** Facts of an export about one folder. */
export type FolderFacts = {
  readonly albumTitle: string | undefined;
  /** Reads the facts about the file of this name. */
  find(name: string): Promise<Facts | undefined>;
};

/** Larger files beside photos are no description of them. */
const MAX_JSON_BYTES = 1024 ** 2;
const MAX_CSV_BYTES = 64 * 1024 ** 2;
/** JSON files of a folder that belong to no photo, of which one may describe an album. */
const MAX_ALBUM_FILES = 20;

export type FactSources = {
  readonly namesAlbums: boolean;
  readonly photoPrism?: Pick<PhotoPrism, 'find'>;
};

/** With `namesAlbums`, a folder that no export describes is an album of its own name. */
export async function readFolderFacts(
  { path, names }: Folder,
  { namesAlbums, photoPrism }: FactSources,
): Promise<FolderFacts> {
  const details = await readDetails(path, names);
  const findJson = createJsonFinder(names);
  const title = await findAlbumTitle(path, names);
  const isPartOfExport = isYearFolder(path) || isPhotosFolder(path) || isRecentlyDeleted(path);
  return {
    albumTitle: title ?? (namesAlbums && !isPartOfExport ? basename(path) : undefined),
    async find(name) {
      if (isRecentlyDeleted(path)) return { isTrashed: true };
      const json = findJson(name);
      const photo = json && parseTakeoutPhoto(await readJson(join(path, json)));
      return photo || details.get(name) || photoPrism?.find(path, names, name);
    },
  };
}

async function readDetails(folder: string, names: readonly string[]): Promise<Map<string, Facts>> {
  const details = new Map<string, Facts>();
  for (const name of names.filter((name) => /\.csv$/i.test(name))) {
    const text = await readText(join(folder, name), MAX_CSV_BYTES);
    for (const [photo, facts] of parsePhotoDetails(text ?? '')) details.set(photo, facts);
  }
  return details;
}

/** The file of an album has another name in each language: metadata.json, Metadaten.json. */
async function findAlbumTitle(
  folder: string,
  names: readonly string[],
): Promise<string | undefined> {
  const others = names.filter((name) => /\.json$/i.test(name) && !isPhotoJson(name));
  // Cut names of photos are the longest.
  const shortest = others.toSorted((one, other) => one.length - other.length);
  for (const name of shortest.slice(0, MAX_ALBUM_FILES)) {
    const title = parseAlbumTitle(await readJson(join(folder, name)));
    if (title) return title;
  }
  return undefined;
}

/** IMG_1.jpg.json, and IMG_1.jpg.supplemental-metadata.json. */
export const isPhotoJson = (name: string): boolean => {
  const base = parse(name).name.replace(/\(\d+\)$/, '');
  return getMediaType(base) !== undefined || getMediaType(parse(base).name) !== undefined;
};

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse((await readText(path, MAX_JSON_BYTES)) ?? 'null');
  } catch {
    // Some other program's file.
    return undefined;
  }
}
