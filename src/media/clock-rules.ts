import type { RawTags } from './exiftool-answer.ts';
import { toText } from './tag-values.ts';

// How a clock is read whose date has no zone of its own. The table in appliance/docs/metadata.md is this one.

/** Offsets from UTC that makers write beside their dates: Samsung; GoPro, Nikon, Canon, Ricoh; cameras of TIFF/EP. */
export const ZONE_TAGS = ['AndroidTimeZone', 'TimeZone', 'TimeZoneOffset'] as const;

/** Container dates, UTC by their standards, to which ExifTool gives names of camera dates; by name, the group that tells them apart. */
const CONTAINER_DATES = {
  // Matroska and WebM: DateUTC of RFC 9559.
  DateTimeOriginal: 'Info',
  // WMV: Creation Date of the ASF specification, 3.2.
  CreationDate: 'ASF',
} as const;

/** Returns the tags with such a date under the name that those of MP4 and MOV have. */
export function nameContainerDates(tags: RawTags): RawTags {
  for (const [name, group] of Object.entries(CONTAINER_DATES)) {
    const date = tags[`${group}:${name}`];
    if (date !== undefined) return { CreateDate: date, ...tags, [name]: undefined };
  }
  return tags;
}

/** Makers whose cameras write the clock on the wall into the fields of UTC, and the tag that tells them. */
const WALL_CLOCKS: readonly (readonly [tag: string, pattern: RegExp])[] = [
  // GoPro to HERO10, which know no zone (gopro/gpmf-parser 9, gopro/labs 5, mapillary/mapillary_tools 819), and HERO11,
  // which tells it besides (immich-app/immich 28059). HERO12 writes UTC (gopro/OpenGoPro 585).
  ['UserData:FirmwareVersion', /^(?:HD\d|HX\d|FS\d|H1\d|H2[0-2])\./],
  // Nikon (immich-app/immich 13009, Piwigo/piwigo-videojs 98, pulsejet/memories 1256).
  ['Make', /^nikon/i],
];

export const WALL_CLOCK_TAGS: readonly string[] = ['UserData:FirmwareVersion'];

export const hasWallClock = (tags: RawTags): boolean =>
  WALL_CLOCKS.some(([tag, pattern]) => pattern.test(toText(tags[tag], 200) ?? ''));

/** Summer time in minutes, which Nikon does not count to the zone (photostructure/exiftool-vendored.js). */
export const getSummerTime = (tags: RawTags): number =>
  toText(tags['DaylightSavings'], 10) === 'Yes' && /^nikon/i.test(toText(tags['Make'], 200) ?? '')
    ? 60
    : 0;
