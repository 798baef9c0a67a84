import { broken } from './errors.ts';
import { isMarked, repairText } from './text-repair.ts';
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
  'SourceFile FileType MIMEType FileSize Error Directory ImageWidth ImageHeight BitsPerSample'.split(
    ' ',
  ),
);

/** Returns whether there are no others. */
export const isBare = (tags: RawTags): boolean =>
  Object.keys(tags).every((tag) => BARE_TAGS.has(splitTag(tag)[1]));

/** Not in what a file says of itself: there, quotes are escaped. */
export const UNOPENED = /^ {2}"(?:ExifTool:)?Error": "Error opening file"/m;
