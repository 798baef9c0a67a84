import { broken } from './errors.ts';

/** Tags of a file as exiftool prints them: untrusted names, untrusted shapes. */
export type RawTags = Readonly<Record<string, unknown>>;

/** Returns the tags of an answer in JSON; none for an answer without. Throws MediaError. */
export function parseAnswer(answer: string): RawTags {
  const start = answer.indexOf('[{');
  if (start < 0) return {};
  try {
    const parsed: unknown = JSON.parse(answer.slice(start));
    const first: unknown = Array.isArray(parsed) ? parsed[0] : undefined;
    return typeof first === 'object' && first !== null ? (first as RawTags) : {};
  } catch (error) {
    throw broken('exiftool printed no JSON', error);
  }
}

/** Tags that every file has which exiftool can open. */
const BARE_TAGS = new Set(
  'SourceFile FileType MIMEType FileSize Error Directory ImageWidth ImageHeight BitsPerSample'.split(
    ' ',
  ),
);

/** Returns whether there are no others. */
export const isBare = (tags: RawTags): boolean =>
  Object.keys(tags).every((name) => BARE_TAGS.has(name));

/** Not in what a file says of itself: there, quotes are escaped. */
export const UNOPENED = /^ {2}"Error": "Error opening file"/m;
