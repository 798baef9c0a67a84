import type { RawTags } from './exiftool-answer.ts';
import { toIntegerWithin, toList, toNumberWithin, toText } from './tag-values.ts';

// Texts, tags and ratings that people have given a photo, in its file or in its sidecar.

const MAX_TAGS = 500;

/** 1 to 5; 0 unrated; -1 rejected. */
export function readRating(tags: RawTags): number | undefined {
  const rating = toIntegerWithin(tags['Rating'], -1, 5);
  if (rating !== undefined) return rating;
  const stars = tags['RatingPercent'] ?? tags['SharedUserRating'] ?? tags['Rating'];
  const percent = toNumberWithin(stars, 1, 100);
  // Windows writes 1, 25, 50, 75 and 99 for its stars, and takes the nearest.
  return percent === undefined ? undefined : 1 + Math.floor((percent + 12) / 25);
}

export const readDescription = (tags: RawTags): string | undefined =>
  listTexts(tags, ['Description', 'ImageDescription', 'Caption-Abstract'])[0];

/** Stands for a description where there is none. */
export const readComment = (tags: RawTags): string | undefined =>
  listTexts(tags, ['UserComment']).find((text) => !isOfProgram(text));

/** The texts of these tags: each in the default language, then in the others. */
const listTexts = (tags: RawTags, names: readonly string[]): string[] =>
  names
    .flatMap((name) => [tags[name], ...listTranslations(tags, name)])
    .flatMap((value) => toText(value) ?? []);

/** XMP without a default language has each text under its own only: 'Description-de'. */
const listTranslations = (tags: RawTags, name: string): unknown[] =>
  Object.entries(tags).flatMap(([tag, value]) => (tag.startsWith(`${name}-`) ? [value] : []));

/** Phones and programs note settings where people write: '{"mirror":false}', 'filter: 0; hdr: 1;'. */
const isOfProgram = (text: string): boolean => /^\s*\{.*\}\s*$|^(\s*\w+: ?[^;]*;){2}/s.test(text);

/**
 * Returns the tags as paths with '|' between their levels. Hierarchies of Lightroom and digiKam come first: a flat keyword
 * repeats their last step, or the whole path. A slash in a keyword is a letter.
 */
export function readTags(tags: RawTags): string[] {
  const paths = [
    ...texts(tags['HierarchicalSubject']),
    ...texts(tags['TagsList']).map((path) => path.replaceAll('/', '|')),
  ].map(cleanPath);
  const known = new Set(paths.flatMap((path) => [...path.split('|'), toTagValue(path)]));
  const words = [...texts(tags['Subject']), ...texts(tags['Keywords'])].map(cleanPath);
  const whole = [...known, ...words];
  const flat = words.filter((word) => !known.has(word) && !isCut(word, whole));
  const found = Map.groupBy([...paths, ...flat].filter(isOfPerson), toTagValue);
  return [...found.values()].flatMap(([path]) => path ?? []).slice(0, MAX_TAGS);
}

/** A keyword of IPTC has at most 64 bytes; XMP has the whole of it. */
const isCut = (word: string, whole: readonly string[]): boolean =>
  Buffer.byteLength(word) > 60 && whole.some((other) => other !== word && other.startsWith(word));

/** Darktable keeps what it has done with a photo among its keywords. */
const isOfPerson = (path: string): boolean => path !== '' && !path.startsWith('darktable|');

/** A keyword that earlier versions have read in the wrong encoding. */
export type GarbledTag = {
  /** The path that it got, with slashes between its levels. */
  readonly from: string;
  /** The right one, as `readTags` has it. */
  readonly to: string;
};

export function listGarbledTags(tags: RawTags): GarbledTag[] {
  const [printed, right] = [texts(tags['IPTC:Keywords']), texts(tags['Keywords'])];
  if (printed.length !== right.length) return [];
  return printed.flatMap((from, index) => {
    const to = right[index];
    return to === undefined || from === to
      ? []
      : [{ from: toTagValue(cleanPath(from)), to: cleanPath(to) }];
  });
}

/** The paths of a sidecar replace those of its file; a keyword without a level that has one there keeps it. */
export function joinTags(own: readonly string[], beside: readonly string[]): readonly string[] {
  if (beside.length === 0) return own;
  const byName = new Map(own.map((path) => [path.slice(path.lastIndexOf('|') + 1), path]));
  const paths = new Set(beside);
  return [...paths].map((path) => byName.get(path) ?? path);
}

/** The path as tags have it: levels and slashes look alike. */
export const toTagValue = (path: string): string => path.replaceAll('|', '/');

const texts = (value: unknown): string[] =>
  toList(value, MAX_TAGS).flatMap((item) => toText(item, 500) ?? []);

const cleanPath = (path: string) =>
  // A Mac decomposes letters: 'ö' is two there.
  path
    .normalize('NFC')
    .split('|')
    .map((step) => step.trim())
    .filter(Boolean)
    .slice(0, 20)
    .join('|');
