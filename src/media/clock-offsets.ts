import { type DateObjectUnits, DateTime, FixedOffsetZone } from 'luxon';
import { parseClock, toOffset } from './clock.ts';
import { getSummerTime, ZONE_TAGS } from './clock-rules.ts';
import { type DateRule, TWIN_TAGS, UTC_TAGS } from './date-rules.ts';
import type { RawTags } from './exiftool-answer.ts';
import { parseFileNameDate } from './file-name-date.ts';
import { toNumberWithin, toText } from './tag-values.ts';

// How far a clock is from UTC, in minutes, by what the file tells beside it.

/** Where a clock without an offset was: 'America/New_York'. */
export type LocalZone = { readonly name: string; readonly isOfPlace: boolean };

export function findFirst<T, R>(
  values: readonly T[],
  find: (value: T) => R | undefined,
): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the offset that EXIF tells beside the date. */
export const findExifOffset = (tags: RawTags, { offsets = [] }: DateRule): number | undefined =>
  findFirst(offsets, (name) => toOffset(tags[name]));

/** Returns the offset that makers tell in tags of their own. */
export function findMakerOffset(tags: RawTags): number | undefined {
  const offset = findFirst(ZONE_TAGS, (name) => toOffset(tags[name]));
  return offset === undefined ? undefined : offset + getSummerTime(tags);
}

/** Returns the offset that XMP has of the clock that EXIF has without one. Z is no place. */
export const findTwinOffset = (tags: RawTags, given: string): number | undefined =>
  findFirst(TWIN_TAGS, (name) => {
    const text = toText(tags[name]) ?? '';
    const clock = parseClock(text);
    const isSame = clock?.given.slice(0, 19) === given.slice(0, 19);
    return isSame && !/z$/i.test(text) ? clock?.offset : undefined;
  });

/**
 * Returns the offset in minutes of a clock beside a time of UTC in the same file, the nearest that is in use:
 * satellite time is that of the last fix, and clocks of cameras are wrong by minutes.
 */
export function inferOffset(parts: DateObjectUnits, tags: RawTags): number | undefined {
  const utc = findFirst(UTC_TAGS, (tag) => {
    const clock = parseClock(toText(tags[tag]));
    return clock && !clock.isDay ? clock : undefined;
  });
  if (!utc) return undefined;
  const { offset = 0, isDay: _, given: __, ...utcParts } = utc;
  const zone = FixedOffsetZone.instance(offset);
  const instant = DateTime.fromObject({ ...utcParts, millisecond: 0 }, { zone });
  // NaN where one of them does not exist.
  const minutes = DateTime.fromObject(parts, { zone: 'UTC' }).diff(instant).as('minutes');
  const distance = (candidate: number) => Math.abs(candidate - minutes);
  const nearest = OFFSETS.toSorted((one, other) => distance(one) - distance(other))[0];
  return nearest !== undefined && distance(nearest) <= MAX_DRIFT_MINUTES ? nearest : undefined;
}

const MAX_DRIFT_MINUTES = 30;
/** In use anywhere, in minutes: whole hours from -11 to +14, and those between. */
const OFFSETS: readonly number[] = Array.from(
  { length: 26 },
  (_, index) => (index - 11) * 60,
).concat([-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]);

const LONGEST_MINUTES = 10;

/**
 * Returns the offset of the clock in the name of a file from the same moment in UTC, which may be the end of a film;
 * undefined where it is that of the zone. Where the place is known, it is that or none: a clock that was written as UTC.
 */
export function findNamedOffset(
  instant: DateTime,
  tags: RawTags,
  fileName: string,
  zone: LocalZone,
): number | undefined {
  const found = parseFileNameDate(fileName);
  if (!found || found.isDay || found.isUtc || found.isOfMessage) return undefined;
  const minutes = DateTime.fromObject(found.clock, { zone: 'UTC' }).diff(instant).as('minutes');
  const length = toNumberWithin(tags['Duration'], 0, LONGEST_MINUTES * 60) ?? 0;
  const fits = (offset: number) => minutes - offset <= 1 && minutes - offset >= -1 - length / 60;
  if (fits(instant.setZone(zone.name).offset)) return undefined;
  return [0, ...(zone.isOfPlace ? [] : OFFSETS)].find(fits);
}
