import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { getMediaType, toNameKey } from '../../media/formats.ts';
import { canBeLiveStill, getLiveStem } from '../../media/live-photo-halves.ts';
import { readText } from './bounded-file.ts';
import type { Facts, ImportedAlbum } from './facts.ts';
import {
  addDetails,
  isPhotosFolder,
  isRecentlyDeleted,
  parsePhotoDetails,
  toSpelling,
} from './icloud/icloud.ts';
import type { PhotoPrism } from './photoprism/sidecars.ts';
import { openJsonReader, type Stray } from './takeout/json-reader.ts';
import { findPrivateKind, isInTakeout, judgeFolder } from './takeout/private-folders.ts';
import { isOfOneYear, isOfYears, isYearFolder } from './takeout/takeout.ts';
import { type Folder, listParts } from './walk.ts';

/** Facts of an export about one folder. */
export type FolderFacts = {
  readonly album: ImportedAlbum | undefined;
  /** The folder is part of an export, which should have facts about each of its photos and videos. */
  readonly isExport: boolean;
  /** The folder is an album of the export, which has lost its title. */
  readonly isUntitledAlbum: boolean;
  /** Returns the name of the file of which this one is an edited version, by whose description it has none itself. */
  readonly findOriginal: (name: string) => string | undefined;
  /** Returns the descriptions of files that the folder does not have, with the names of their files. */
  readonly listStrays: () => readonly Stray[];
  /** Reads the facts about the file of this name that are its own. */
  findOwn(name: string): Promise<Facts | undefined>;
  /**
   * Reads the facts about a file: its own, else those of the photo `still`, by default that of the same name for a
   * video, else those of the folder.
   */
  find(name: string, still?: string | null): Promise<Facts | undefined>;
};

const MAX_CSV_BYTES = 64 * 1024 ** 2;

export type FactSources = {
  /** A folder that no export describes is an album of its own name. */
  readonly namesAlbums: boolean;
  readonly photoPrism?: Pick<PhotoPrism, 'find' | 'isOpen'>;
  /** Finds the facts that another part of the export has about a file of this name. */
  readonly findElsewhere?: (name: string) => Facts | undefined;
  /** The folder that is imported has an export of Google. */
  readonly isTakeout?: boolean;
};

export async function readFolderFacts(
  folder: Folder,
  { namesAlbums, photoPrism, findElsewhere, isTakeout }: FactSources,
): Promise<FolderFacts> {
  const { path } = folder;
  const parts = listParts(folder);
  const names = parts.flatMap(({ names }) => names);
  const details = await readDetails(path, folder.names);
  const findDetails = createDetailsFinder(details, names);
  const json = await openJsonReader(parts);
  const found = await json.findAlbum();
  const isCloudFolder = isPhotosFolder(path) || isRecentlyDeleted(path);
  const isFromGoogle = Boolean(isTakeout) || json.isAny || isInTakeout(path);
  const isOfYear = isYearFolder(path) || (isFromGoogle && !found && (await isOfUnknownLanguage()));
  const isWhole = isOfYear || isCloudFolder;
  const privateKind = isFromGoogle && !isWhole ? findPrivateKind(path) : undefined;
  const stills = Map.groupBy(names.filter(canBeLiveStill), getLiveStem);
  const findOwn = async (name: string): Promise<Facts | undefined> => {
    if (isRecentlyDeleted(path)) return { isTrashed: true };
    return (
      (await json.find(name)) ??
      findDetails(name) ??
      (isPhotosFolder(path) ? findElsewhere?.(name) : undefined) ??
      photoPrism?.find(path, names, name)
    );
  };
  async function isOfUnknownLanguage(): Promise<boolean> {
    const siblings = await listSiblings(path);
    return isOfYears(path, siblings) || isOfOneYear(path, siblings, () => json.listNeighbours());
  }
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
    album: found ?? named,
    isExport:
      json.isAny || details.size > 0 || isWhole || isFromGoogle || Boolean(photoPrism?.isOpen),
    isUntitledAlbum:
      found === undefined && json.isAny && !isWhole && !namesAlbums && privateKind === undefined,
    findOriginal: json.findOriginal,
    listStrays: () => json.listStrays(),
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

/** A row that is that of no file by its name is that of the one file whose letters and digits are the same. */
function createDetailsFinder(details: ReadonlyMap<string, Facts>, names: readonly string[]) {
  const keys = new Set(names.map(toNameKey));
  const free = [...details.keys()].filter((key) => !keys.has(key));
  const bySpelling = Map.groupBy(free, toSpelling);
  return (name: string): Facts | undefined => {
    const [row, ...others] = bySpelling.get(toSpelling(name)) ?? [];
    const spelled = others.length === 0 && row !== undefined ? details.get(row) : undefined;
    return details.get(toNameKey(name)) ?? spelled;
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
