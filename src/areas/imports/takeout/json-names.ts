import { parse } from 'node:path';
import { getMediaType, toNameKey } from '../../../media/formats.ts';

// Names in an export of Google Photos (Takeout). The JSON of IMG_1.jpg is IMG_1.jpg.json, or since 2024
// IMG_1.jpg.supplemental-metadata.json; that suffix, and then the name itself, are cut so that at most 46
// characters are left before ".json". The counter of IMG_1(2).jpg comes last: IMG_1.jpg(2).json. Some names lack
// the extension of the photo (IMG_1.supplemental-metadata.json) or have it in another case (IMG_1.JPG.json).

const SUFFIX = '.supplemental-metadata';
/** The least that is left of the suffix where the extension, or its end, is missing. */
const MIN_SUFFIX = '.su'.length;
const MIN_CUT = 45;
const MAX_CUT = 51;
/** A longer stem of a media file is cut. */
const MAX_STEM = 47;

/** The word at the end of the name of an edited version, by language of the account. */
const EDITED = [
  'edited', // English
  'bearbeitet', // German
  'modifié', // French
  'editado', // Spanish, Portuguese
  'ha editado', // Spanish
  'editada', // Portuguese
  'modificato', // Italian
  'bewerkt', // Dutch
  'edytowane', // Polish
  'editat', // Catalan
  'redigerad', // Swedish
  'redigeret', // Danish
  'redigert', // Norwegian
  'muokattu', // Finnish
  'upraveno', // Czech
  'düzenlendi', // Turkish
  'изменено', // Russian
  '編集済み', // Japanese
  '已修改', // Chinese
  '수정됨', // Korean
];

const EDITED_STEM = new RegExp(`^(.+)-(?:${EDITED.join('|')})(\\(\\d+\\))?$`, 'iu');

/** Returns the stem of the original ('IMG_1(2)' for 'IMG_1-edited(2)'), or undefined. */
export function findOriginalStem(stem: string): string | undefined {
  const name = stem.normalize('NFC');
  const match = EDITED_STEM.exec(name);
  if (match) return `${match[1]}${match[2] ?? ''}`;
  if (name.length < MAX_STEM) return undefined;
  const [, original, start] = /^(.+)-(\p{L}{2,})$/u.exec(name) ?? [];
  return start && EDITED.some((word) => word.startsWith(start)) ? original : undefined;
}

/**
 * Returns a function that finds the originals of an edited version among the names of its folder, the likeliest first.
 * They may have another format, and the counter may be that of the edited version: SUMMER.HEIC of SUMMER-edited(1).jpg.
 */
export function createOriginalFinder(
  names: readonly string[],
  findStem = findOriginalStem,
): (mediaName: string) => readonly string[] {
  const toStem = (name: string) => toNameKey(parse(name).name);
  const byStem = Map.groupBy(names.filter(getMediaType), toStem);
  return (mediaName) => {
    const { name, ext } = parse(mediaName);
    const stem = findStem(name)?.toLowerCase();
    if (stem === undefined) return [];
    const found = byStem.get(stem) ?? byStem.get(splitCounter(stem)[0]) ?? [];
    const hasExt = (one: string) => Number(parse(one).ext === ext);
    return found
      .filter((one) => getMediaType(one) === getMediaType(mediaName))
      .toSorted((one, other) => hasExt(other) - hasExt(one));
  };
}

/** Edited by the word of a language that is not listed, by what a program has called it (EFFECTS), or by a number (~2). */
const CHANGED_STEM = /^(.+?)(?:-\p{L}[\p{L}\p{M} ]*|~\d+)(\(\d+\))?$/u;

function findChangedStem(stem: string): string | undefined {
  const match = CHANGED_STEM.exec(stem.normalize('NFC'));
  return match ? `${match[1]}${match[2] ?? ''}` : undefined;
}

/** Which JSON describes a media file, and of which other file it is, if the file has none of its own. */
export type FoundJson = { readonly json: string; readonly original?: string };

/** Returns a function that finds the JSON of a media file among the names of its folder. */
export function createJsonFinder(
  names: readonly string[],
): (mediaName: string) => FoundJson | undefined {
  const findOwn = createOwnFinder(names);
  const findEdited = createOriginalFinder(names);
  const findChanged = createOriginalFinder(names, findChangedStem);
  return (mediaName) => {
    const own = findOwn(mediaName);
    if (own !== undefined) return { json: own };
    const { name: stem, ext } = parse(mediaName);
    const edited = findOriginalStem(stem);
    // The original may be in another part of the export.
    const originals = edited === undefined ? [] : [edited + ext, ...findEdited(mediaName)];
    for (const original of [...originals, ...findChanged(mediaName)]) {
      const json = findOwn(original);
      if (json !== undefined) return { json, original };
    }
    return undefined;
  };
}

/** Google writes '_' for signs that some file systems do not have: in the name of the photo, of its JSON, or of both. */
export function foldSigns(name: string): string {
  return toNameKey(name).replaceAll(/[^\p{L}\p{M}\p{N} ._()-]/gu, '_');
}

/** Ways to compare names, the best first: a JSON is that of another file if this one fits better. */
const WAYS: readonly ((name: string) => string)[] = [
  (name) => name.normalize('NFC'),
  toNameKey,
  foldSigns,
];

function createOwnFinder(names: readonly string[]): (mediaName: string) => string | undefined {
  const ways = WAYS.map((fold) => {
    const toKey = (name: string, counter: string) => `${fold(name)}\0${counter}`;
    const files = new Map<string, string>();
    for (const name of names) {
      const base = /^(.+)\.json$/i.exec(name)?.[1];
      if (base) files.set(toKey(...splitCounter(base)), name);
    }
    return (mediaName: string) => findIn(files, mediaName, toKey);
  });
  const media = names.filter(getMediaType);
  const found = new Map<string, string>();
  for (const find of ways) {
    const claimed = new Set(found.values());
    for (const name of media) {
      const json = found.has(name) ? undefined : find(name);
      if (json !== undefined && !claimed.has(json)) found.set(name, json);
    }
  }
  const claimed = new Set(found.values());
  const isFree = (json: string | undefined) => json !== undefined && !claimed.has(json);
  const isListed = new Set(media);
  return (mediaName) => {
    if (isListed.has(mediaName)) return found.get(mediaName);
    const [findExact, ...others] = ways;
    return findExact?.(mediaName) ?? others.map((find) => find(mediaName)).find(isFree);
  };
}

type ToKey = (name: string, counter: string) => string;

function findIn(files: ReadonlyMap<string, string>, mediaName: string, toKey: ToKey) {
  const { name: stem, ext } = parse(mediaName);
  const [uncounted, counter] = splitCounter(stem);
  const find = (name: string, counter: string) => {
    for (const candidate of listCandidates(name)) {
      const found = files.get(toKey(candidate, counter));
      if (found) return found;
    }
    return undefined;
  };
  return (counter && find(uncounted + ext, counter)) || find(mediaName, '');
}

export function splitCounter(stem: string): [stem: string, counter: string] {
  const [, name = stem, counter = ''] = /^(.+)\((\d+)\)$/.exec(stem) ?? [];
  return [name, counter];
}

function* listCandidates(name: string): Generator<string, void> {
  yield name;
  for (let length = SUFFIX.length; length > 0; length--) yield name + SUFFIX.slice(0, length);
  for (let length = MAX_CUT; length >= MIN_CUT; length--) {
    if (length < name.length) yield name.slice(0, length);
  }
  for (let cut = 1; cut <= parse(name).ext.length; cut++) {
    const start = name.slice(0, -cut);
    for (let length = SUFFIX.length; length >= MIN_SUFFIX; length--) {
      yield start + SUFFIX.slice(0, length);
    }
  }
}
