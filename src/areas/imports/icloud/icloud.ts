import { basename, dirname, parse } from 'node:path';
import { DateTime } from 'luxon';
import { getFirst } from '../../../core/required.ts';
import { toNameKey } from '../../../media/formats.ts';
import { type Facts, mergeFacts } from '../facts.ts';

// The export of iCloud Photos that privacy.apple.com makes: folders "iCloud Photos Part N of M" with
// Photos/ (files and "Photo Details*.csv"), Albums/*.csv (names of files), Memories/*.csv, which nobody
// has made, and "Recently Deleted/".

/** Returns the facts of a "Photo Details" file by name of the photo; empty for any other file. */
export function parsePhotoDetails(text: string): Map<string, Facts> {
  const [header = [], ...lines] = parseCsv(text);
  const column = (name: string) => header.indexOf(name);
  const name = column('imgName');
  const created = column('originalCreationDate');
  const details = new Map<string, Facts>();
  if (name < 0 || created < 0) return details;
  const isYes = (line: readonly string[], flag: string) =>
    line[column(flag)]?.trim().toLowerCase() === 'yes';
  for (const line of lines) {
    // Unquoted in some exports, where its comma ends a field.
    const takenAt =
      parseDate(line[created]) ?? parseDate(line.slice(created, created + 2).join(','));
    addDetails(details, line[name] ?? '', {
      takenAt,
      ...(!takenAt && line[created]?.trim() && { isOdd: true }),
      isFavorite: isYes(line, 'favorite'),
      isTrashed: isYes(line, 'deleted'),
      visibility: isYes(line, 'hidden') ? 'locked' : undefined,
    });
  }
  return details;
}

/** Adds facts about a photo; of two that differ the one that hides it counts. */
export function addDetails(details: Map<string, Facts>, key: string, facts: Facts): void {
  const other = details.get(key);
  details.set(key, other ? mergeFacts(other, facts) : facts);
}

/** 'Saturday June 4,2022 12:11 PM GMT' */
function parseDate(text = ''): Date | undefined {
  const day = text.trim().replace(/^\p{L}+ | GMT$/gu, '');
  const date = DateTime.fromFormat(day, 'MMMM d,yyyy h:mm a', { zone: 'utc', locale: 'en-US' });
  return date.isValid ? date.toJSDate() : undefined;
}

/** Returns the names of the files that an album lists; empty for any other file. */
export function parseAlbumList(text: string): string[] {
  const [header, ...lines] = parseCsv(text);
  const isList = header?.length === 1 && /^(?:Images|imgName|imageName)$/i.test(getFirst(header));
  return isList ? lines.flatMap(([name]) => name ?? []) : [];
}

/** Lists write some names without their signs: IMG_07401.JPG for IMG_0740(1).JPG. */
export const toSpelling = (name: string): string =>
  toNameKey(name).replaceAll(/[^\p{L}\p{M}\p{N}.]/gu, '');

/** Albums that every account has, and that its photos tell of themselves. */
const BUILT_IN = /^(?:Hidden|Favou?rites|Recently Deleted)$/i;

/** Returns the title of the album that a file lists. */
export function findListedAlbum(path: string): string | undefined {
  if (basename(dirname(path)) !== 'Albums' || !/\.csv$/i.test(path)) return undefined;
  const title = parse(path).name;
  return BUILT_IN.test(title) ? undefined : title;
}

export const isRecentlyDeleted = (folder: string): boolean =>
  basename(folder) === 'Recently Deleted' && isPart(dirname(folder));

export const isPhotosFolder = (folder: string): boolean =>
  basename(folder) === 'Photos' && isPart(dirname(folder));

/** "iCloud Photos Part 1 of 6", in Norwegian "iCloud-bilder Del 1 av 6". */
const isPart = (folder: string) => /^iCloud\b/.test(basename(folder));

const FIELD = /(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r\n|\n|\r|$)/gy;

/** Parses the lines of a CSV file (RFC 4180), without empty ones. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  FIELD.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const at = FIELD.lastIndex;
    if (at >= text.length) break;
    const match = FIELD.exec(text);
    if (!match) {
      // A quote in the middle of a field: not RFC 4180. The line is left out.
      const end = text.indexOf('\n', at);
      FIELD.lastIndex = end < 0 ? text.length : end + 1;
      line = [];
      continue;
    }
    line.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    if (line.some((field) => field !== '')) lines.push(line);
    line = [];
  }
  if (line.length > 0) lines.push(line);
  return lines;
}
