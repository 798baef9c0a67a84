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

/** An edited version by the word of a language that is not listed. */
const DASHED_STEM = /^(.+)-\p{L}[\p{L}\p{M} ]*(\(\d+\))?$/u;

function findDashedStem(stem: string): string | undefined {
  const match = DASHED_STEM.exec(stem.normalize('NFC'));
  return match ? `${match[1]}${match[2] ?? ''}` : undefined;
}

/** Returns a function that finds the JSON of a media file among the names of its folder. */
export function createJsonFinder(
  names: readonly string[],
): (mediaName: string) => string | undefined {
  const files = new Map<string, string>();
  const anyCase = new Map<string, string>();
  for (const name of names) {
    const base = /^(.+)\.json$/i.exec(name)?.[1];
    if (!base) continue;
    const key = toKey(...splitCounter(base));
    files.set(key, name);
    anyCase.set(key.toLowerCase(), name);
  }
  if (files.size === 0) return () => undefined;
  const findOwn = (mediaName: string) => findIn(files, mediaName, toKey);
  const claimed = new Set(names.filter(getMediaType).map(findOwn));
  const findInAnyCase = (mediaName: string) => {
    const found = findIn(anyCase, mediaName, (name, counter) => toKey(name, counter).toLowerCase());
    return found !== undefined && !claimed.has(found) ? found : undefined;
  };
  const findOriginals = createOriginalFinder(names);
  const findDashed = createOriginalFinder(names, findDashedStem);
  return (mediaName) => {
    const { name: stem, ext } = parse(mediaName);
    const original = findOriginalStem(stem);
    // The original may be in another part of the export.
    const others = original === undefined ? [] : [original + ext, ...findOriginals(mediaName)];
    return (
      findOwn(mediaName) ??
      findInAnyCase(mediaName) ??
      findFirst(others, findOwn) ??
      findFirst(findDashed(mediaName), findOwn)
    );
  };
}

function findFirst<T>(names: readonly string[], find: (name: string) => T | undefined) {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
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

const toKey: ToKey = (name, counter) => `${name.normalize('NFC')}\0${counter}`;

function splitCounter(stem: string): [stem: string, counter: string] {
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
