import tzLookup from '@photostructure/tz-lookup';
import { type DateObjectUnits, DateTime, IANAZone } from 'luxon';
import {
  DATE_RULES,
  type DateRule,
  type DateSource,
  getRank,
  OFFSET_TAGS,
  UTC_TAGS,
} from './date-rules.ts';
import { fraction, parseClock, parseOffset } from './clock.ts';
import type { RawTags } from './exiftool-answer.ts';
import { parseFileNameDate } from './file-name-date.ts';
import { toText } from './tag-values.ts';

/** 'gpsTime': the distance of the camera's clock from satellite time. */
export type ZoneSource = 'offset' | 'gps' | 'gpsTime' | 'owner';

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
  /** Time of capture by the export of another service. */
  readonly exportTime?: Date | undefined;
  /** It counts more than the tags of the file that tell another day: those of a scan tell when it was scanned. */
  readonly trustsExport?: boolean | undefined;
  /** When nothing else tells: the time that the uploading client gave. */
  readonly fallbackTime: Date;
  readonly fileName: string;
};

/** The order of the sources (DATE_RULES) and of the zones is the contract of this function. */
export function resolveCaptureTime(
  tags: RawTags,
  context: DateContext,
  sidecar?: RawTags,
): CaptureTime {
  const zone = findLocalZone(context);
  const read = readTaken(tags, zone, context.isVideo);
  const trusted = findTrusted(read, context);
  const taken = trusted ? undefined : read;
  const corrected = sidecar ? correctTaken(taken, tags, sidecar, zone) : taken;
  if (corrected) return corrected;
  if (trusted) return toStatedTime(trusted, zone, 'Export');
  const latest =
    (context.exportTime && toStatedTime(context.exportTime, zone, 'Export')) ??
    findFirst(DATE_RULES.changed, (rule) => readTag(tags, rule, zone, context.isVideo)) ??
    toStatedTime(context.fallbackTime, zone, 'FileModified');
  return readFileName(context.fileName, zone, latest) ?? latest;
}

/** Clocks without a zone are less than a day away from the same moment in UTC. */
const DAY_MS = 24 * 60 * 60 * 1000;

function findTrusted(
  taken: CaptureTime | undefined,
  { exportTime, trustsExport }: DateContext,
): Date | undefined {
  if (!exportTime || !trustsExport) return undefined;
  const isSameDay = taken && Math.abs(taken.takenAt.getTime() - exportTime.getTime()) < DAY_MS;
  return isSameDay ? undefined : exportTime;
}

function findLocalZone({ position, ownerZone }: DateContext): LocalZone {
  const placeZone = findZoneAt(position);
  if (placeZone) return { name: placeZone, source: 'gps' };
  return { name: toValidZone(ownerZone), source: 'owner' };
}

/** Returns when the tags say that a picture was taken: a time on the day rather than that day. */
function readTaken(tags: RawTags, zone: LocalZone, isVideo: boolean): CaptureTime | undefined {
  const isDay = ({ tag }: DateRule) => parseClock(toText(tags[tag]))?.isDay ?? false;
  const read = (rule: DateRule) => readTag(tags, rule, zone, isVideo);
  const first = findFirst(DATE_RULES.captured, (rule) => read(rule) && rule);
  const taken = first && read(first);
  if (!taken || !isDay(first)) return taken;
  const day = taken.localTakenAt.slice(0, 10);
  // Satellites tell when a receiver was on.
  const times = DATE_RULES.captured
    .filter((rule) => rule.rank !== 'satellite' && !isDay(rule))
    .map(read);
  return times.find((time) => time?.localTakenAt.startsWith(day)) ?? taken;
}

/**
 * Returns the time of a file or what its sidecar says instead: one of the same rank or a better one, unless it is less
 * exact. A clock in a sidecar that has no zone is in that of the file.
 */
function correctTaken(
  own: CaptureTime | undefined,
  tags: RawTags,
  sidecar: RawTags,
  zone: LocalZone,
): CaptureTime | undefined {
  const offsets = Object.fromEntries(OFFSET_TAGS.map((tag) => [tag, tags[tag]]));
  const said = readTaken({ ...offsets, ...sidecar }, zone, false);
  if (!said || !own) return said ?? own;
  if (getRank(said.dateSource) > getRank(own.dateSource)) return own;
  const clock = parseClock(toText(sidecar[said.dateSource]));
  if (!clock) return said;
  // The same clock, or the same moment in UTC, which scripts write.
  if (own.localTakenAt.startsWith(clock.given)) {
    return clock.offset === undefined ? own : moveTo(own, clock.offset);
  }
  const isSameMoment = Math.abs(own.takenAt.getTime() - said.takenAt.getTime()) < 1000;
  return isSameMoment && clock.offset === 0 ? own : said;
}

/** Returns the same clock at another offset. */
function moveTo(time: CaptureTime, offset: number): CaptureTime {
  const at = DateTime.fromISO(time.localTakenAt, { zone: formatOffsetZone(offset) });
  return { ...toCaptureTime(at, 'offset'), dateSource: time.dateSource };
}

/** Where a clock without an offset was: 'America/New_York'. */
type LocalZone = { readonly name: string; readonly source: ZoneSource };

function findFirst<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

const toStatedTime = (instant: Date, zone: LocalZone, dateSource: DateSource): CaptureTime => ({
  ...toCaptureTime(DateTime.fromJSDate(instant, { zone: zone.name }), zone.source),
  dateSource,
});

function readTag(
  tags: RawTags,
  rule: DateRule,
  zone: LocalZone,
  isVideo: boolean,
): CaptureTime | undefined {
  const clock = parseClock(toText(tags[rule.tag]));
  if (!clock) return undefined;
  const { offset: ownOffset, isDay, given: _, ...fields } = clock;
  const parts = { ...fields, millisecond: fields.millisecond ?? subSecond(tags, rule.subSec) ?? 0 };
  const isUtc = rule.isUtc === true || (rule.isUtc === 'video' && isVideo);
  if (isUtc) {
    const instant = DateTime.fromObject(parts, { zone: formatOffsetZone(ownOffset ?? 0) });
    return valid(instant.setZone(zone.name), zone.source, rule.tag);
  }
  const offset = ownOffset ?? firstOffset(tags, rule.offsets ?? []);
  if (offset !== undefined) return atOffset(parts, offset, 'offset', rule.tag);
  if (zone.source === 'owner' && !isDay) {
    const inferred = inferOffset(parts, tags);
    if (inferred !== undefined) return atOffset(parts, inferred, 'gpsTime', rule.tag);
  }
  return valid(DateTime.fromObject(parts, { zone: zone.name }), zone.source, rule.tag);
}

const atOffset = (parts: DateObjectUnits, offset: number, source: ZoneSource, tag: DateSource) =>
  valid(DateTime.fromObject(parts, { zone: formatOffsetZone(offset) }), source, tag);

/**
 * A name counts where it is earlier: a file is copied and changed after it was taken, not before. An export tells more
 * than a day that a person has put there.
 */
function readFileName(
  fileName: string,
  zone: LocalZone,
  latest: CaptureTime,
): CaptureTime | undefined {
  const found = parseFileNameDate(fileName);
  if (!found || (found.isByHand && latest.dateSource === 'Export')) return undefined;
  const { clock, isUtc, isDay } = found;
  const named = DateTime.fromObject(clock, { zone: isUtc ? 'UTC' : zone.name }).setZone(zone.name);
  // On the day that the name tells, the other source knows the time as well.
  const isEarlier = isDay
    ? named.toFormat('yyyy-MM-dd') < latest.localTakenAt.slice(0, 10)
    : named.toMillis() <= latest.takenAt.getTime();
  return isEarlier ? valid(named, zone.source, 'FileName') : undefined;
}

/**
 * Returns the offset in minutes of a clock beside a time of UTC in the same file, the nearest that is in use:
 * satellite time is that of the last fix, and clocks of cameras are wrong by minutes.
 */
function inferOffset(parts: DateObjectUnits, tags: RawTags): number | undefined {
  const utc = findFirst(UTC_TAGS, (tag) => {
    const clock = parseClock(toText(tags[tag]));
    return clock && !clock.isDay && (clock.offset ?? 0) === 0 ? clock : undefined;
  });
  if (!utc) return undefined;
  const { offset: _, isDay: __, given: ___, ...utcParts } = utc;
  const local = DateTime.fromObject(parts, { zone: 'UTC' });
  const instant = DateTime.fromObject({ ...utcParts, millisecond: 0 }, { zone: 'UTC' });
  if (!local.isValid || !instant.isValid) return undefined;
  const minutes = local.diff(instant).as('minutes');
  const distance = (offset: number) => Math.abs(offset - minutes);
  const nearest = OFFSETS.reduce((best, offset) =>
    distance(offset) < distance(best) ? offset : best,
  );
  return distance(nearest) <= MAX_DRIFT_MINUTES ? nearest : undefined;
}

const MAX_DRIFT_MINUTES = 30;
/** In use anywhere, in minutes: whole hours from -11 to +14, and those between. */
const OFFSETS: readonly number[] = Array.from(
  { length: 26 },
  (_, index) => (index - 11) * 60,
).concat([-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]);

const valid = (at: DateTime, source: ZoneSource, dateSource: DateSource) =>
  at.isValid ? { ...toCaptureTime(at, source), dateSource } : undefined;

const toCaptureTime = (at: DateTime, zoneSource: ZoneSource) => ({
  takenAt: at.toJSDate(),
  localTakenAt: formatClock(at),
  zone: at.zoneName ?? 'UTC',
  offsetMinutes: at.offset,
  zoneSource,
});

function firstOffset(tags: RawTags, names: readonly string[]): number | undefined {
  for (const name of names) {
    const offset = parseOffset(toText(tags[name]));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

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

/** Returns the clock of an account at an instant; null: it has said no zone. */
export const toLocalTime = (instant: Date, zone: string | null): string =>
  formatClock(DateTime.fromJSDate(instant, { zone: toValidZone(zone ?? 'UTC') }));

const formatClock = (at: DateTime): string => at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");
