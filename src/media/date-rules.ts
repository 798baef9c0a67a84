import { WALL_CLOCK_TAGS, ZONE_TAGS } from './clock-rules.ts';

// Where the date of a photo or video is read, best first. Immich 3.2 has the same order, and reads with the rules of
// the Metadata Working Group (MWG), for which the dates of IPTC and XMP are those of EXIF.

/** Kinds of dates, best first. */
const RANKS = ['taken', 'digitised', 'satellite', 'panorama'] as const;

type Rule<Tag> = {
  readonly tag: Tag;
  /** Tags of one rank tell the same: a sidecar replaces the date of a file that has this rank or a lower one. */
  readonly rank?: (typeof RANKS)[number];
  /** Tag of the fraction of a second. */
  readonly subSec?: string;
  readonly offsets?: readonly string[];
  /** The tag is in UTC by its format, and has no place for a zone. */
  readonly isUtc?: boolean | 'film';
};

/**
 * After `captured` come the export of another service (the JSON of Google Takeout, the CSV of iCloud), `changed`, and
 * the client's time (the earlier of creation and change of the file); in the place of these three the name of the
 * file, where it tells an earlier date.
 */
const RULES = {
  /** Tags that tell when a picture was taken. */
  captured: [
    // EXIF, also as XMP (exif:): when the shutter opened. Immich 1; without a fraction of a second Immich puts
    // CreateDate before it if that has one.
    {
      tag: 'DateTimeOriginal',
      rank: 'taken',
      subSec: 'SubSecTimeOriginal',
      offsets: ['OffsetTimeOriginal', 'OffsetTime', 'OffsetTimeDigitized'],
    },
    // IPTC date and time in one, which ExifTool calls DateTimeOriginal where EXIF has none. MWG; Immich 7.
    { tag: 'DateTimeCreated', rank: 'taken' },
    // XMP (photoshop:), and IPTC without a time: of the picture, not of its scan. MWG; Immich only with a time.
    { tag: 'DateCreated', rank: 'taken' },
    // Apple: the clock and its zone, also after an export; GoPro. Immich 4.
    { tag: 'CreationDate', rank: 'taken' },
    // Sony: NonRealTimeMeta of films, with the zone. Immich does not read it.
    { tag: 'CreationDateValue', rank: 'taken' },
    // EXIF: digitised. XMP (xmp:). Containers of videos: UTC, and maybe the export. Immich 2 and 5.
    {
      tag: 'CreateDate',
      rank: 'digitised',
      subSec: 'SubSecTimeDigitized',
      offsets: ['OffsetTimeDigitized', 'OffsetTime'],
      isUtc: 'film',
    },
    // A track of a video. Immich 6.
    { tag: 'MediaCreateDate', rank: 'digitised', isUtc: 'film' },
    // PNG: when the picture was made. Immich does not read it.
    { tag: 'CreationTime', rank: 'digitised' },
    // Satellite time. Immich 8.
    { tag: 'GPSDateTime', rank: 'satellite', isUtc: true },
    // Canon and others beside their local time. Immich 9.
    { tag: 'DateTimeUTC', rank: 'satellite', isUtc: true },
    // Sony, in maker notes. Immich 10.
    { tag: 'SonyDateTime2', rank: 'satellite', isUtc: true },
    // Insta360, in XMP (GPano:). Immich 11.
    { tag: 'SourceImageCreateTime', rank: 'panorama' },
  ],
  /** Tags that tell when it was changed last, which is not before it was taken. */
  changed: [
    // EXIF (IFD0), XMP (xmp:), PNG. Scanners write nothing else. Immich does not read it.
    { tag: 'ModifyDate', subSec: 'SubSecTime', offsets: ['OffsetTime'], isUtc: 'film' },
  ],
} as const satisfies Record<string, readonly Rule<string>[]>;

type Tag = (typeof RULES)['captured' | 'changed'][number]['tag'];
export type DateSource = Tag | 'Export' | 'FileName' | 'FileModified';
export type DateRule = Rule<Tag>;
export const DATE_RULES: Record<keyof typeof RULES, readonly DateRule[]> = RULES;

/** Returns the place of the rank of a source: 0 is best; tags that tell no capture come last. */
export function getRank(source: DateSource): number {
  const rank = DATE_RULES.captured.find(({ tag }) => tag === source)?.rank;
  return rank === undefined ? RANKS.length : RANKS.indexOf(rank);
}

/** Tags of UTC that tell how far the clock beside them is from it; the last is Image_UTC_Data of a Galaxy. */
export const UTC_TAGS = [
  'GPSDateTime',
  'DateTimeUTC',
  'SonyDateTime2',
  'Samsung:TimeStamp',
] as const;

/** The same dates in XMP, which may have a zone; asked for after those that come first. */
export const TWIN_TAGS = [
  'XMP-exif:DateTimeOriginal',
  'XMP-photoshop:DateCreated',
  'XMP-xmp:CreateDate',
] as const;

const ALL_RULES = [...DATE_RULES.captured, ...DATE_RULES.changed];

/** Tags of the zone of a clock. */
export const OFFSET_TAGS: readonly string[] = [
  ...new Set(ALL_RULES.flatMap(({ offsets = [] }) => offsets)),
  ...ZONE_TAGS,
];

/** All tags that exiftool is asked for because of dates. */
export const DATE_TAGS: readonly string[] = [
  ...new Set(
    ALL_RULES.flatMap(({ tag, subSec, offsets = [] }) => [tag, subSec ?? tag, ...offsets]),
  ),
  ...UTC_TAGS,
  ...TWIN_TAGS,
  ...ZONE_TAGS,
  ...WALL_CLOCK_TAGS,
  'DaylightSavings',
];
