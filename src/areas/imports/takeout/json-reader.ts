import { basename, join, parse } from 'node:path';
import { getMediaType } from '../../../media/formats.ts';
import { getLiveStem } from '../../../media/live-photo-halves.ts';
import { readText } from '../bounded-file.ts';
import type { Facts, ImportedAlbum } from '../facts.ts';
import { getFirst } from '../../../core/required.ts';
import type { Folder } from '../walk.ts';
import { createJsonFinder, foldSigns, splitCounter } from './json-names.ts';
import { parseTakeoutAlbum, parseTakeoutPhoto, parseTakeoutTitle } from './takeout.ts';

/** Larger files beside photos are no description of them. */
const MAX_JSON_BYTES = 1024 ** 2;
/** JSON files whose names are those of no photo: one may describe an album, or a photo whose name was cut. */
const MAX_ALBUM_FILES = 100;
/** Descriptions of photos that tell what kind of folder it is. */
const MAX_NEIGHBOURS = 1000;
/** Descriptions that fit no name, which are read for the titles in them. */
const MAX_STRAYS = 10_000;
/** Shorter names are not cut. */
const MIN_CUT_STEM = 45;

/** A description that fits no file of its folder by its name. */
export type Stray = {
  /** Path of the JSON. */
  readonly path: string;
  readonly json: string;
  readonly title: string;
  readonly facts: Facts;
};

/** Reads the descriptions that Takeout writes beside photos and videos in all parts of a folder. */
export async function openJsonReader(parts: readonly Folder[]) {
  const descriptions = listDescriptions(parts);
  const media = parts.flatMap(({ names }) => names.filter((name) => getMediaType(name)));
  const find = createJsonFinder([...media, ...descriptions.keys()]);
  const byName = new Map(media.map((name) => [name, find(name)]));
  const read = (json: string) => readJson(descriptions.get(json) ?? '');
  const strays = await readStrays();
  const findByTitle = createTitleFinder(strays);
  for (const name of media) byName.set(name, byName.get(name) ?? findByTitle(name));
  const findJson = (name: string) => (byName.has(name) ? byName.get(name) : find(name))?.json;
  const described = media.filter((name) => findJson(name) !== undefined);
  const byStem = Map.groupBy(described, getLiveStem);

  async function readStrays(): Promise<Stray[]> {
    const claimed = new Set([...byName.values()].map((found) => found?.json));
    const found: Stray[] = [];
    const free = [...descriptions.keys()].filter((name) => !claimed.has(name));
    const [named, others] = [free.filter(isPhotoJson), free.filter((name) => !isPhotoJson(name))];
    for (const json of [...named.slice(0, MAX_STRAYS), ...others.slice(0, MAX_ALBUM_FILES)]) {
      const document = await read(json);
      const facts = parseTakeoutPhoto(document);
      const path = descriptions.get(json) ?? json;
      if (facts) found.push({ path, json, title: parseTakeoutTitle(document), facts });
    }
    return found;
  }

  return {
    isAny: described.length > 0,
    findOriginal: (name: string) => byName.get(name)?.original,
    findAlbum: () => findAlbum(getFirst(parts).path, descriptions),
    /** Returns the descriptions of files that are not in the folder. */
    listStrays(): Stray[] {
      const claimed = new Set(described.map(findJson));
      return strays.filter(({ json }) => !claimed.has(json));
    },
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

/** Returns a function that finds the one description whose title is the name, wherever that was cut. */
function createTitleFinder(strays: readonly Stray[]): (name: string) => Stray | undefined {
  const titles = strays.map((stray) => {
    const { name: stem, ext } = parse(foldSigns(stray.title));
    const end = `${ext}\0${splitCounter(parse(stray.json).name)[1]}`;
    return { stray, stem, end };
  });
  const byTitle = Map.groupBy(titles, ({ stem, end }) => `${stem}\0${end}`);
  const long = titles.filter(({ stem }) => stem.length >= MIN_CUT_STEM);
  return (name) => {
    const { name: stem, ext } = parse(foldSigns(name));
    const [start, counter] = splitCounter(stem);
    const whole = [
      ...(byTitle.get(`${start}\0${ext}\0${counter}`) ?? []),
      ...(counter === '' ? [] : (byTitle.get(`${stem}\0${ext}\0`) ?? [])),
    ];
    const isCut = (title: (typeof titles)[number]) =>
      title.stem.startsWith(start) && title.end === `${ext}\0${counter}`;
    const cut = start.length < MIN_CUT_STEM ? [] : long.filter(isCut);
    const found = new Set([...whole, ...cut]);
    return found.size === 1 ? [...found][0]?.stray : undefined;
  };
}

/** Returns the paths of the JSON files of a folder by name: of two of one name, the first. */
function listDescriptions(parts: readonly Folder[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, names } of parts) {
    for (const name of names) {
      if (/\.json$/i.test(name) && !found.has(name)) found.set(name, join(path, name));
    }
  }
  return found;
}

/** Returns the title of the album that a part of a folder describes. */
export const readAlbumTitle = async (part: Folder): Promise<string | undefined> =>
  (await findAlbum(part.path, listDescriptions([part])))?.title;

/** The file of an album has another name in each language: metadata.json, Metadaten.json. */
async function findAlbum(
  path: string,
  descriptions: ReadonlyMap<string, string>,
): Promise<ImportedAlbum | undefined> {
  const others = [...descriptions.keys()].filter((name) => !isPhotoJson(name));
  // Cut names of photos are the longest.
  const shortest = others.toSorted((one, other) => one.length - other.length);
  for (const name of shortest.slice(0, MAX_ALBUM_FILES)) {
    const album = parseTakeoutAlbum(await readJson(descriptions.get(name) ?? ''));
    if (album) return toTakeoutAlbum(album, path);
  }
  return undefined;
}

/**
 * Folders of two albums of one title have other names; each part of an export has a folder of the same one. Two titles can
 * have one name of folder, by the signs that Google replaces, or in exports of two people.
 */
const toTakeoutAlbum = (album: ImportedAlbum, path: string): ImportedAlbum => ({
  ...album,
  origin: { source: 'takeout', key: `${basename(path)}/${album.title}`.normalize('NFC') },
});

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
