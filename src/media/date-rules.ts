// Where the date of a photo or video is read, best first. Immich 3.2 has the same order, and reads with the rules of
// the Metadata Working Group (MWG), for which the dates of IPTC and XMP are those of EXIF.

export type DateSource =
  | 'DateTimeOriginal'
  | 'DateTimeCreated'
  | 'DateCreated'
  | 'CreationDate'
  | 'CreateDate'
  | 'MediaCreateDate'
  | 'GPSDateTime'
  | 'DateTimeUTC'
  | 'SonyDateTime2'
  | 'SourceImageCreateTime'
  | 'ModifyDate'
  | 'Export'
  | 'FileName'
  | 'FileModified';

export type DateRule = {
  readonly tag: DateSource;
  /** Tag of the fraction of a second. */
  readonly subSec?: string;
  readonly offsets?: readonly string[];
  /** The tag is in UTC by its format, and has no place for a zone. */
  readonly isUtc?: boolean | 'video';
};

type DateRules = {
  /** Tags that tell when a picture was taken. */
  readonly captured: readonly DateRule[];
  /** Tags that tell when it was changed last, which is not before it was taken. */
  readonly changed: readonly DateRule[];
};

/**
 * After `captured` come the export of another service (the JSON of Google Takeout, the CSV of iCloud), `changed`, and
 * the client's time (the earlier of creation and change of the file); in the place of these three the name of the
 * file, where it tells an earlier date.
 */
export const DATE_RULES: DateRules = {
  captured: [
    // EXIF, also as XMP (exif:): when the shutter opened. Immich 1; without a fraction of a second Immich puts
    // CreateDate before it if that has one.
    {
      tag: 'DateTimeOriginal',
      subSec: 'SubSecTimeOriginal',
      offsets: ['OffsetTimeOriginal', 'OffsetTime', 'OffsetTimeDigitized'],
    },
    // IPTC date and time in one, which ExifTool calls DateTimeOriginal where EXIF has none. MWG; Immich 7.
    { tag: 'DateTimeCreated' },
    // XMP (photoshop:), and IPTC without a time: of the picture, not of its scan. MWG; Immich only with a time.
    { tag: 'DateCreated' },
    // Apple: the clock and its zone, also after an export. Immich 4.
    { tag: 'CreationDate' },
    // EXIF: digitised. XMP (xmp:). Containers of videos: UTC, and maybe the export. Immich 2 and 5.
    {
      tag: 'CreateDate',
      subSec: 'SubSecTimeDigitized',
      offsets: ['OffsetTimeDigitized', 'OffsetTime'],
      isUtc: 'video',
    },
    // A track of a video. Immich 6.
    { tag: 'MediaCreateDate', isUtc: 'video' },
    // Satellite time. Immich 8.
    { tag: 'GPSDateTime', isUtc: true },
    // Canon and others beside their local time. Immich 9.
    { tag: 'DateTimeUTC', isUtc: true },
    // Sony, in maker notes. Immich 10.
    { tag: 'SonyDateTime2', isUtc: true },
    // Insta360, in XMP (GPano:). Immich 11.
    { tag: 'SourceImageCreateTime' },
  ],
  changed: [
    // EXIF (IFD0), XMP (xmp:), PNG. Scanners write nothing else. Immich does not read it.
    { tag: 'ModifyDate', subSec: 'SubSecTime', offsets: ['OffsetTime'], isUtc: 'video' },
  ],
};

/** Tags of UTC that tell how far the clock beside them is from it. */
export const UTC_TAGS = ['GPSDateTime', 'DateTimeUTC', 'SonyDateTime2'] as const;

const ALL_RULES = [...DATE_RULES.captured, ...DATE_RULES.changed];

/** All tags that exiftool is asked for because of dates. */
export const DATE_TAGS: readonly string[] = [
  ...new Set(
    ALL_RULES.flatMap(({ tag, subSec, offsets = [] }) => [tag, subSec ?? tag, ...offsets]),
  ),
];
