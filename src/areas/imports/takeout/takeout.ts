import { basename } from 'node:path';
import { toNumberWithin, toRecord, toText } from '../../../media/tag-values.ts';
import type { Facts, ImportedAlbum } from '../facts.ts';

/** Parses the JSON that Takeout writes beside a photo; undefined for any other document. */
export function parseTakeoutPhoto(document: unknown): Facts | undefined {
  const photo = toRecord(document);
  const taken = toRecord(photo?.['photoTakenTime']);
  if (!photo || !taken) return undefined;
  const people = Array.isArray(photo['people']) ? (photo['people'] as unknown[]) : [];
  return {
    title: toText(photo['title'], 500),
    takenAt: parseTime(taken['timestamp']),
    // Where nobody has set a position, that of the file.
    position: parsePosition(photo['geoData']) ?? parsePosition(photo['geoDataExif']),
    description: toText(photo['description']),
    isFavorite: photo['favorited'] === true,
    isTrashed: photo['trashed'] === true,
    visibility: parseVisibility(photo),
    people: people.flatMap((person) => toText(toRecord(person)?.['name'], 200) ?? []),
    isItem: true,
    ...(isOdd(taken['timestamp'], photo['geoData']) && { isOdd: true }),
  };
}

/** Returns the name under which the file of a JSON was uploaded. */
export const parseTakeoutTitle = (document: unknown): string =>
  toText(toRecord(document)?.['title'], 500) ?? '';

function parseVisibility(photo: Readonly<Record<string, unknown>>): Facts['visibility'] {
  if (photo['inLockedFolder'] === true) return 'locked';
  return photo['archived'] === true ? 'archive' : undefined;
}

/** Characters of the description of an album. */
const MAX_DESCRIPTION = 10_000;

const [FIRST_YEAR, LAST_YEAR] = [1800, 2100];

/** 0 is written where Google knows no date. */
function parseTime(timestamp: unknown): Date | undefined {
  const toSeconds = (year: number) => Date.UTC(year, 0) / 1000;
  const seconds = toNumberWithin(timestamp, toSeconds(FIRST_YEAR), toSeconds(LAST_YEAR));
  return seconds ? new Date(seconds * 1000) : undefined;
}

/** Whether a time or a position is given that is none. */
function isOdd(timestamp: unknown, geoData: unknown): boolean {
  const hasTime = timestamp !== undefined && Number(timestamp) !== 0;
  const geo = toRecord(geoData);
  const hasPlace =
    geo !== undefined && (Number(geo['latitude']) !== 0 || Number(geo['longitude']) !== 0);
  return (hasTime && !parseTime(timestamp)) || (hasPlace && !parsePosition(geo));
}

/** 0, 0 means unknown. */
function parsePosition(value: unknown): Facts['position'] {
  const geo = toRecord(value);
  const latitude = toNumberWithin(geo?.['latitude'], -90, 90);
  const longitude = toNumberWithin(geo?.['longitude'], -180, 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

const listRecords = (value: unknown) =>
  (Array.isArray(value) ? (value as unknown[]) : [])
    .map(toRecord)
    .filter((one) => one !== undefined);

/** Returns the album that a document describes, without its origin; undefined if it describes none. */
export function parseTakeoutAlbum(document: unknown): ImportedAlbum | undefined {
  const top = toRecord(document);
  if (!top || top['photoTakenTime'] !== undefined) return undefined;
  // Exports before 2021 have one more level.
  const album = toRecord(top['albumData']) ?? top;
  const title = toText(album['title'], 200);
  if (!title || isYearFolder(title)) return undefined;
  const more = listRecords(album['enrichments']);
  const texts = more.map((one) => toRecord(one['narrativeEnrichment'])?.['text']);
  const lines = [album['description'], ...texts].flatMap((text) => toText(text) ?? []);
  const hasPlaces = more.some((one) => !('narrativeEnrichment' in one));
  const hasMore = hasPlaces || listRecords(album['sharedAlbumComments']).length > 0;
  return {
    title,
    description: toText(lines.join('\n'), MAX_DESCRIPTION),
    ...(hasMore && { hasMore }),
  };
}

const YEAR_FOLDER = new RegExp(
  `^(?:${[
    'Photos from',
    'Fotos (?:von|aus|de|del)',
    'Photos de',
    "Foto['’_]s (?:uit|van)",
    'Foto (?:dal|del|da)',
    'Foton från',
    'Bilder fra',
    'Billeder fra',
    'Zdjęcia z',
    'Fotky z',
    'Фото за',
  ].join('|')}) (?:19|20)\\d\\d$`,
  'iu',
);

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/;

/** Whether folders of a parent, `siblings`, have this name with other years: in many languages those of Google have. */
export function isOfYears(path: string, siblings: readonly string[]): boolean {
  const name = basename(path);
  const toPattern = (one: string) => one.replace(YEAR, '#');
  const hasSibling = (one: string) => one !== name && toPattern(one) === toPattern(name);
  return YEAR.test(name) && siblings.some(hasSibling);
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a folder without a title has the photos of the year in its name. There is one such folder of each year: beside
 * it, another one is an album that has lost its title.
 */
export async function isOfOneYear(
  path: string,
  siblings: readonly string[],
  listPhotos: () => Promise<readonly Facts[]>,
): Promise<boolean> {
  const name = basename(path);
  const [year, ...others] = name.match(new RegExp(YEAR, 'g')) ?? [];
  if (!year || others.length > 0) return false;
  if (siblings.some((one) => one !== name && isYearFolder(one) && one.includes(year))) return false;
  const photos = await listPhotos();
  if (photos.length === 0) return false;
  const [from, to] = [Date.UTC(Number(year), 0) - DAY_MS, Date.UTC(Number(year) + 1, 0) + DAY_MS];
  return photos.every(
    ({ takenAt }) => takenAt && takenAt.getTime() > from && takenAt.getTime() < to,
  );
}

/** Whether it is one of the folders by year that hold every photo of the account. */
export const isYearFolder = (path: string): boolean =>
  YEAR_FOLDER.test(basename(path).normalize('NFC'));
