import { broken } from './errors.ts';
import { toRecord } from './tag-values.ts';

/**
 * Tags of a file as exiftool prints them: untrusted names, untrusted shapes. Each stands twice: with its group
 * ('IPTC:Keywords') as it was printed, and by its name alone ('Keywords') in the right encoding.
 */
export type RawTags = Readonly<Record<string, unknown>>;

/** Returns the tags of an answer in JSON; none for an answer without. Throws MediaError. */
export function parseAnswer(answer: string): RawTags {
  const start = answer.indexOf('[{');
  if (start < 0) return {};
  try {
    const parsed: unknown = JSON.parse(answer.slice(start));
    return addNames(toRecord(Array.isArray(parsed) ? parsed[0] : undefined) ?? {});
  } catch (error) {
    throw broken('exiftool printed no JSON', error);
  }
}

/** The first of tags with one name counts: exiftool prints those first that were asked for first. */
function addNames(printed: RawTags): RawTags {
  const names: Record<string, unknown> = {};
  const isUnicode = isMarked(printed['IPTC:CodedCharacterSet']);
  for (const [tag, value] of Object.entries(printed)) {
    // Nothing turns pixels by it.
    if (tag === 'XMP-tiff:Orientation') continue;
    const [group, name] = splitTag(tag);
    names[name] ??= group === 'IPTC' && isUnicode ? value : repairText(group, value);
  }
  return { ...printed, ...names };
}

/** 'IFD0:Make' → ['IFD0', 'Make']. */
function splitTag(tag: string): [group: string, name: string] {
  const at = tag.indexOf(':');
  return [tag.slice(0, Math.max(0, at)), tag.slice(at + 1)];
}

/** Tags that every file has which exiftool can open. */
const BARE_TAGS = new Set(
  'SourceFile FileType MIMEType FileSize Error Warning Directory ImageWidth ImageHeight BitsPerSample'.split(
    ' ',
  ),
);

/** Returns whether there are no others. */
export const isBare = (tags: RawTags): boolean =>
  Object.keys(tags).every((tag) => BARE_TAGS.has(splitTag(tag)[1]));

/** Not in what a file says of itself: there, quotes are escaped. */
export const UNOPENED = /^ {2}"(?:ExifTool:)?Error": "Error opening file"/m;

/**
 * Groups whose text has no certain encoding: programs write UTF-8, or what their system has. exiftool is asked to read
 * it as Windows-1252, which loses no byte.
 */
const UNCERTAIN = /^(IPTC|IFD\d+|ExifIFD|SubIFD\d*|GPS|InteropIFD)$/;

/** The letters of the bytes 128 to 159 in Windows-1252; all others are those of Unicode. */
const LETTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';
const BYTES = new Map(Array.from(LETTERS, (letter, index) => [letter, 128 + index]));

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Returns text of such a group, also within lists and structures, as UTF-8 if it is, else as it was read. */
function repairText(group: string, value: unknown): unknown {
  if (!UNCERTAIN.test(group)) return value;
  if (Array.isArray(value)) return value.map((item) => repairText(group, item));
  return typeof value === 'string' ? decodeAgain(value) : value;
}

function decodeAgain(text: string): string {
  const bytes = Array.from(text, (letter) => BYTES.get(letter) ?? letter.codePointAt(0) ?? 0);
  if (bytes.every((byte) => byte < 128) || bytes.some((byte) => byte > 255)) return text;
  try {
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    return text;
  }
}

/** Whether IPTC says itself that it is UTF-8, as exiftool prints that. */
const isMarked = (characterSet: unknown): boolean =>
  typeof characterSet === 'string' && /^utf-?8$/i.test(characterSet);
