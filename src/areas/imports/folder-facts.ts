import { readdir } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import { getMediaType, toNameKey } from '../../media/formats.ts';
import { canBeLiveStill, getLiveStem } from '../../media/live-photo-halves.ts';
import { readText } from './bounded-file.ts';
import type { Facts, ImportedAlbum } from './facts.ts';
import {
  addDetails,
  isPhotosFolder,
  isRecentlyDeleted,
  parsePhotoDetails,
} from './icloud/icloud.ts';
import type { PhotoPrism } from './photoprism/sidecars.ts';
import { createJsonFinder } from './takeout/json-names.ts';
import { findPrivateKind, isInTakeout, judgeFolder } from './takeout/private-folders.ts';
import {
  isOfYears,
  isYearFolder,
  parseTakeoutAlbum,
  parseTakeoutPhoto,
  parseTakeoutTitle,
} from './takeout/takeout.ts';
import type { Folder } from './walk.ts';

/** Facts of an export about one folder. */
export type FolderFacts = {
  readonly album: ImportedAlbum | undefined;
  /** The folder is part of an export, which should have facts about each of its photos and videos. */
  readonly isExport: boolean;
  /** The folder is an album of the export, which has lost its title. */
  readonly isUntitledAlbum: boolean;
  /** Reads the facts about the file of this name that are its own. */
  findOwn(name: string): Promise<Facts | undefined>;
  /**
   * Reads the facts about a file: its own, else those of the photo `still`, by default that of the same name for a
   * video, else those of the folder.
   */
  find(name: string, still?: string | null): Promise<Facts | undefined>;
};

/** Larger files beside photos are no description of them. */
const MAX_JSON_BYTES = 1024 ** 2;
const MAX_CSV_BYTES = 64 * 1024 ** 2;
/** JSON files of a folder that belong to no photo, of which one may describe an album. */
const MAX_ALBUM_FILES = 20;
/** Descriptions of photos that tell what kind of folder it is. */
const MAX_NEIGHBOURS = 1000;

export type FactSources = {
  /** A folder that no export describes is an album of its own name. */
  readonly namesAlbums: boolean;
  readonly photoPrism?: Pick<PhotoPrism, 'find' | 'isOpen'>;
  /** Finds the facts that another part of the export has about a file of this name. */
  readonly findElsewhere?: (name: string) => Facts | undefined;
  /** Folders of other parts of an export of Google, which may have the descriptions of this one. */
  readonly otherParts?: readonly string[];
  /** The folder that is imported has an export of Google. */
  readonly isTakeout?: boolean;
};

export async function readFolderFacts(
  folder: Folder,
  { namesAlbums, photoPrism, findElsewhere, otherParts = [], isTakeout }: FactSources,
): Promise<FolderFacts> {
  const { path, names } = folder;
  const details = await readDetails(path, names);
  const descriptions = await listDescriptions(folder, otherParts);
  const json = createJsonReader(names, descriptions);
  const found = await findAlbum(descriptions);
  const isCloudFolder = isPhotosFolder(path) || isRecentlyDeleted(path);
  const isFromGoogle = Boolean(isTakeout) || json.isAny || isInTakeout(path);
  const isOfYear =
    isYearFolder(path) ||
    (isFromGoogle && found === undefined && isOfYears(path, await listSiblings(path)));
  const isWhole = isOfYear || isCloudFolder;
  const privateKind = isFromGoogle && !isWhole ? findPrivateKind(path) : undefined;
  const stills = Map.groupBy(names.filter(canBeLiveStill), getLiveStem);
  const findOwn = async (name: string): Promise<Facts | undefined> => {
    if (isRecentlyDeleted(path)) return { isTrashed: true };
    return (
      (await json.find(name)) ??
      details.get(toNameKey(name)) ??
      (isPhotosFolder(path) ? findElsewhere?.(name) : undefined) ??
      photoPrism?.find(path, names, name)
    );
  };
  const named = namesAlbums && !isWhole ? { title: basename(path) } : undefined;
  let judged: Promise<Facts | undefined> | undefined;
  const judge = async (): Promise<Facts | undefined> => {
    if (isWhole || !isFromGoogle) return undefined;
    const kind = judgeFolder(await json.listNeighbours(), privateKind);
    if (kind === undefined) return undefined;
    return kind === 'trash'
      ? { isTrashed: true, basis: 'folder' }
      : { visibility: 'locked', basis: 'folder' };
  };
  return {
    album: found ? toTakeoutAlbum(found, path) : named,
    isExport:
      json.isAny || details.size > 0 || isWhole || isFromGoogle || Boolean(photoPrism?.isOpen),
    isUntitledAlbum:
      found === undefined && json.isAny && !isWhole && !namesAlbums && privateKind === undefined,
    findOwn,
    async find(name, still) {
      const own = await findOwn(name);
      if (own) return own;
      const ofName =
        getMediaType(name) === 'VIDEO' ? stills.get(getLiveStem(name))?.[0] : undefined;
      const photoName = still === undefined ? ofName : still;
      const photo = photoName ? await findOwn(photoName) : undefined;
      if (photo) return { ...photo, isFavorite: false, isItem: false, basis: 'photo' };
      return (judged ??= judge());
    },
  };
}

/** The folder above may be none that is imported. */
const listSiblings = (path: string): Promise<string[]> => readdir(dirname(path)).catch(() => []);

/** Returns the paths of the JSON files of a folder, and of those that only other parts of it have, by name. */
async function listDescriptions(
  { path, names }: Folder,
  otherParts: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const add = (folder: string, names: readonly string[]) => {
    for (const name of names) {
      if (/\.json$/i.test(name) && !found.has(name)) found.set(name, join(folder, name));
    }
  };
  add(path, names);
  for (const part of otherParts) add(part, await readdir(part));
  return found;
}

/** Finds the descriptions that Takeout writes beside photos and videos. */
function createJsonReader(names: readonly string[], descriptions: ReadonlyMap<string, string>) {
  const findJson = createJsonFinder([
    ...names.filter((name) => getMediaType(name)),
    ...descriptions.keys(),
  ]);
  const described = names.filter((name) => getMediaType(name) && findJson(name) !== undefined);
  const byStem = Map.groupBy(described, getLiveStem);
  const read = (json: string) => readJson(descriptions.get(json) ?? '');
  return {
    isAny: described.length > 0,
    async find(name: string): Promise<Facts | undefined> {
      const json = findJson(name);
      if (json === undefined) return undefined;
      const document = await read(json);
      const type = getMediaType(name);
      const others = byStem.get(getLiveStem(name)) ?? [];
      const isShared = others.some((one) => findJson(one) === json && getMediaType(one) !== type);
      // A cut name fits a photo and a video: the title tells whose it is, without its extension the photo's.
      const owner = getMediaType(parseTakeoutTitle(document)) ?? 'IMAGE';
      return isShared && owner !== type ? undefined : parseTakeoutPhoto(document);
    },
    async listNeighbours(): Promise<Facts[]> {
      const found: Facts[] = [];
      for (const json of new Set(described.slice(0, MAX_NEIGHBOURS).map(findJson))) {
        const facts = json === undefined ? undefined : parseTakeoutPhoto(await read(json));
        if (facts) found.push(facts);
      }
      return found;
    },
  };
}

/** Returns the rows of the lists of iCloud in a folder, by key of the photo. */
export async function readDetails(
  folder: string,
  names: readonly string[],
): Promise<Map<string, Facts>> {
  const details = new Map<string, Facts>();
  for (const name of names.filter((name) => /\.csv$/i.test(name))) {
    const text = await readText(join(folder, name), MAX_CSV_BYTES);
    for (const [photo, facts] of parsePhotoDetails(text ?? '')) {
      addDetails(details, toNameKey(photo), facts);
    }
  }
  return details;
}

/** Folders of two albums of one title have other names; each part of an export has a folder of the same one. */
const toTakeoutAlbum = (album: ImportedAlbum, path: string): ImportedAlbum => ({
  ...album,
  origin: { source: 'takeout', key: basename(path).normalize('NFC') },
});

/** The file of an album has another name in each language: metadata.json, Metadaten.json. */
async function findAlbum(
  descriptions: ReadonlyMap<string, string>,
): Promise<ImportedAlbum | undefined> {
  const others = [...descriptions.keys()].filter((name) => !isPhotoJson(name));
  // Cut names of photos are the longest.
  const shortest = others.toSorted((one, other) => one.length - other.length);
  for (const name of shortest.slice(0, MAX_ALBUM_FILES)) {
    const album = parseTakeoutAlbum(await readJson(descriptions.get(name) ?? ''));
    if (album) return album;
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
    const text = (await readText(path, MAX_JSON_BYTES)) ?? 'null';
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // Some other program's file.
    return undefined;
  }
}
