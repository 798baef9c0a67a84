import tzLookup from '@photostructure/tz-lookup';
import { DateTime, IANAZone } from 'luxon';
import type { RawTags } from './exiftool.ts';
import { toText } from './tag-values.ts';

export type DateSource =
  | 'DateTimeOriginal'
  | 'CreationDate'
  | 'CreateDate'
  | 'MediaCreateDate'
  | 'DateTimeCreated'
  | 'DateCreated'
  | 'GPSDateTime'
  | 'DateTimeUTC'
  | 'FileModified';

export type ZoneSource = 'offset' | 'gps' | 'owner';

export type CaptureTime = {
  /** The instant. */
  readonly takenAt: Date;
  /** The clock on the wall where it was taken: '2024-01-12T21:38:53.853', no zone. */
  readonly localTakenAt: string;
  /** 'UTC+2', 'UTC', or a name as 'Europe/Berlin'. */
  readonly zone: string;
  readonly offsetMinutes: number;
  readonly dateSource: DateSource;
  readonly zoneSource: ZoneSource;
};

export type DateContext = {
  readonly isVideo: boolean;
  readonly position: { readonly latitude: number; readonly longitude: number } | undefined;
  /** Time zone of the uploading account: the last resort for a local time without a zone. */
  readonly ownerZone: string;
  /** When no tag tells: the time that the uploading client gave. */
  readonly fallbackTime: Date;
};

type Rule = {
  readonly tag: DateSource;
  readonly subSec?: string;
  readonly offsets?: readonly string[];
  /** The tag counts from 1904 in UTC by its format, and has no place for a zone. */
  readonly utc?: boolean;
};

const PHOTO_RULES: readonly Rule[] = [
  {
    tag: 'DateTimeOriginal',
    subSec: 'SubSecTimeOriginal',
    offsets: ['OffsetTimeOriginal', 'OffsetTime'],
  },
  {
    tag: 'CreateDate',
    subSec: 'SubSecTimeDigitized',
    offsets: ['OffsetTimeDigitized', 'OffsetTime'],
  },
  { tag: 'CreationDate' },
  { tag: 'DateTimeCreated' },
  { tag: 'DateCreated' },
  { tag: 'GPSDateTime', utc: true },
  { tag: 'DateTimeUTC', utc: true },
];

/** Apple's CreationDate has the wall clock and its zone; CreateDate is UTC and may be the export. */
const VIDEO_RULES: readonly Rule[] = [
  { tag: 'DateTimeOriginal', offsets: ['OffsetTimeOriginal', 'OffsetTime'] },
  { tag: 'CreationDate' },
  { tag: 'CreateDate', utc: true },
  { tag: 'MediaCreateDate', utc: true },
  { tag: 'DateTimeCreated' },
  { tag: 'DateCreated' },
  { tag: 'GPSDateTime', utc: true },
];

/** The order of the sources and of the zones is the contract of this function. */
export function resolveCaptureTime(tags: RawTags, context: DateContext): CaptureTime {
  const placeZone = findZoneAt(context.position);
  for (const rule of context.isVideo ? VIDEO_RULES : PHOTO_RULES) {
    const clock = parseClock(toText(tags[rule.tag]));
    if (!clock) continue;
    const millisecond = clock.millisecond ?? subSecond(tags, rule.subSec);
    const taken = place({ ...clock, millisecond }, rule, tags, placeZone, context.ownerZone);
    if (taken) return { ...taken, dateSource: rule.tag };
  }
  const zone = placeZone ?? toValidZone(context.ownerZone);
  const at = DateTime.fromJSDate(context.fallbackTime, { zone });
  return { ...toCaptureTime(at, placeZone ? 'gps' : 'owner'), dateSource: 'FileModified' };
}

function place(
  clock: Clock,
  rule: Rule,
  tags: RawTags,
  placeZone: string | undefined,
  ownerZone: string,
): Omit<CaptureTime, 'dateSource'> | undefined {
  const { offset: ownOffset, millisecond, ...fields } = clock;
  const parts = { ...fields, millisecond: millisecond ?? 0 };
  const offset = ownOffset ?? firstOffset(tags, rule.offsets ?? []);
  if (offset !== undefined && !rule.utc)
    return valid(DateTime.fromObject(parts, { zone: formatOffsetZone(offset) }), 'offset');
  const zone = placeZone ?? toValidZone(ownerZone);
  const source = placeZone ? 'gps' : 'owner';
  if (!rule.utc) return valid(DateTime.fromObject(parts, { zone }), source);
  const instant = DateTime.fromObject(parts, { zone: formatOffsetZone(ownOffset ?? 0) });
  return valid(instant.setZone(zone), source);
}

const valid = (at: DateTime, source: ZoneSource) =>
  at.isValid ? toCaptureTime(at, source) : undefined;

const toCaptureTime = (at: DateTime, zoneSource: ZoneSource) => ({
  takenAt: at.toJSDate(),
  localTakenAt: at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS"),
  zone: at.zoneName ?? 'UTC',
  offsetMinutes: at.offset,
  zoneSource,
});

type Clock = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number | undefined;
  /** Minutes east of Greenwich, where the value itself carries them. */
  readonly offset: number | undefined;
};

const CLOCK =
  /^(\d{4})[:\-/. ](\d{1,2})[:\-/. ](\d{1,2})[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[+-]\d{1,2}(?::?\d{2})?)?/;

/** '2024:01:12 21:38:53.853-08:00' and its many relatives. Nonsense dates give undefined. */
export function parseClock(value: string | undefined): Clock | undefined {
  const match = value === undefined ? undefined : CLOCK.exec(value.trim());
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  // Cameras without a set clock write zeroes or 1904; nothing was photographed before 1826.
  if (!year || year < 1826 || year > 2100 || (year === 1904 && month === 1 && day === 1))
    return undefined;
  return {
    year,
    month: month!,
    day: day!,
    hour: hour!,
    minute: minute!,
    // A leap second belongs to the minute it ends.
    second: Math.min(second!, 59),
    millisecond: match[7] === undefined ? undefined : fraction(match[7]),
    offset: parseOffset(match[8]),
  };
}

/** '+05:30' → 330, 'Z' → 0. */
export function parseOffset(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^(Z|UTC|GMT)$/i.test(value.trim())) return 0;
  const match = /^([+-])(\d{1,2}):?(\d{2})?/.exec(value.trim());
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > 14 * 60) return undefined;
  return match[1] === '-' ? -minutes : minutes;
}

function firstOffset(tags: RawTags, names: readonly string[]): number | undefined {
  for (const name of names) {
    const offset = parseOffset(toText(tags[name]));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

/** '064' and 64 are both what exiftool prints for a fraction, but only the text keeps its zero. */
const fraction = (digits: string) => Math.floor(Number(`0.${digits}`) * 1000);

function subSecond(tags: RawTags, name: string | undefined): number | undefined {
  const text = name === undefined ? undefined : toText(tags[name])?.trim();
  return text !== undefined && /^\d{1,9}$/.test(text) ? fraction(text) : undefined;
}

function formatOffsetZone(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const sign = minutes < 0 ? '-' : '+';
  const hours = Math.trunc(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${sign}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
}

function findZoneAt(position: DateContext['position']): string | undefined {
  if (!position) return undefined;
  try {
    const zone = tzLookup(position.latitude, position.longitude);
    return IANAZone.isValidZone(zone) ? zone : undefined;
  } catch {
    return undefined;
  }
}

/** A zone that this system does not know would make every date invalid. */
const toValidZone = (zone: string): string =>
  DateTime.fromMillis(0, { zone }).isValid ? zone : 'UTC';
