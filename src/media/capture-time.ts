import tzLookup from '@photostructure/tz-lookup';
import { DateTime, FixedOffsetZone, IANAZone } from 'luxon';
import { DATE_RULES, type DateRule, type DateSource, getRank, OFFSET_TAGS } from './date-rules.ts';
import { fraction, parseClock } from './clock.ts';
import {
  findFirst,
  findNamedOffset,
  findExifOffset,
  findMakerOffset,
  findTwinOffset,
  inferOffset,
  type LocalZone,
} from './clock-offsets.ts';
import { hasWallClock, nameContainerDates } from './clock-rules.ts';
import type { RawTags } from './exiftool-answer.ts';
import { parseFileNameDate } from './file-name-date.ts';
import { toText } from './tag-values.ts';

export type CaptureTime = {
  /** The instant. */
  readonly takenAt: Date;
  /** The clock on the wall where it was taken: '2024-01-12T21:38:53.853', no zone. */
  readonly localTakenAt: string;
  /** 'UTC+2', 'UTC', or a name as 'Europe/Berlin'. */
  readonly zone: string;
  readonly dateSource: DateSource;
};

export type DateContext = {
  /** A film or a recording: its container has dates in UTC. */
  readonly isFilm: boolean;
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
  all: RawTags,
  context: DateContext,
  sidecar?: RawTags,
): CaptureTime {
  const tags = nameContainerDates(all);
  const zone = findLocalZone(context);
  const own = { ...context, zone };
  const read = readTaken(tags, own);
  const trusted = findTrusted(read, context);
  const taken = trusted ? undefined : read;
  const corrected = sidecar ? correctTaken(taken, tags, sidecar, own) : taken;
  if (corrected) return corrected;
  const at = (instant: Date) => DateTime.fromJSDate(instant, { zone: zone.name });
  if (trusted) return toCaptureTime(at(trusted), 'Export');
  const latest =
    (context.exportTime && toCaptureTime(at(context.exportTime), 'Export')) ??
    findFirst(DATE_RULES.changed, (rule) => readTag(tags, rule, own)) ??
    toCaptureTime(at(context.fallbackTime), 'FileModified');
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
  return { name: placeZone ?? toValidZone(ownerZone), isOfPlace: placeZone !== undefined };
}

/** Returns when the tags say that a picture was taken: a time on the day rather than that day. */
function readTaken(tags: RawTags, context: ClockContext): CaptureTime | undefined {
  const isDay = ({ tag }: DateRule) => parseClock(toText(tags[tag]))?.isDay ?? false;
  const read = (rule: DateRule) => readTag(tags, rule, context);
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
  context: ClockContext,
): CaptureTime | undefined {
  const offsets = Object.fromEntries(OFFSET_TAGS.map((tag) => [tag, tags[tag]]));
  const said = readTaken({ ...offsets, ...sidecar }, { ...context, isFilm: false });
  if (!said || !own) return said ?? own;
  if (getRank(said.dateSource) > getRank(own.dateSource)) return own;
  const clock = parseClock(toText(sidecar[said.dateSource]));
  if (!clock) return said;
  // The same clock, or the same moment in UTC, which scripts write.
  if (own.localTakenAt.startsWith(clock.given)) {
    if (clock.offset === undefined) return own;
    const at = { zone: FixedOffsetZone.instance(clock.offset) };
    return toCaptureTime(DateTime.fromISO(own.localTakenAt, at), own.dateSource);
  }
  const isSameMoment = Math.abs(own.takenAt.getTime() - said.takenAt.getTime()) < 1000;
  return isSameMoment && clock.offset === 0 ? own : said;
}

type ClockContext = Pick<DateContext, 'isFilm' | 'fileName'> & { readonly zone: LocalZone };

/**
 * The one place where a clock gets its zone: by the date itself, by other tags of the file, by the place, by a time of UTC
 * beside it, by the account.
 */
function readTag(tags: RawTags, rule: DateRule, context: ClockContext): CaptureTime | undefined {
  const clock = parseClock(toText(tags[rule.tag]));
  if (!clock) return undefined;
  const { zone, isFilm, fileName } = context;
  const { offset: ownOffset, isDay, given, ...fields } = clock;
  const millisecond = fields.millisecond ?? subSecond(tags, rule.subSec) ?? 0;
  const parts = { ...fields, millisecond };
  const toZone = (offset: number | undefined) =>
    offset === undefined ? zone.name : FixedOffsetZone.instance(offset);
  const toTime = (offset: number | undefined) =>
    DateTime.fromObject(parts, { zone: toZone(offset) });
  // The clock of a camera may be set by the place, and its zone never.
  const offset = findExifOffset(tags, rule) ?? (isFilm ? findMakerOffset(tags) : undefined);
  const isField = rule.isUtc === 'film' && isFilm;
  if (rule.isUtc === true || (isField && !hasWallClock(tags))) {
    const instant = toTime(ownOffset ?? 0);
    const named = offset ?? findNamedOffset(instant, tags, fileName, zone);
    // The name has the clock that the field has: that is none of UTC.
    const isWall = isField && named === 0 && offset === undefined;
    return valid(isWall ? toTime(undefined) : instant.setZone(toZone(named)), rule.tag);
  }
  const mayInfer = !zone.isOfPlace && !isDay;
  const inferred = () =>
    inferOffset(parts, tags) ?? findMakerOffset(tags) ?? findTwinOffset(tags, given);
  return valid(toTime(ownOffset ?? offset ?? (mayInfer ? inferred() : undefined)), rule.tag);
}

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
  return isEarlier ? valid(named, 'FileName') : undefined;
}

const valid = (at: DateTime, source: DateSource) =>
  at.isValid ? toCaptureTime(at, source) : undefined;

const toCaptureTime = (at: DateTime, dateSource: DateSource): CaptureTime => ({
  takenAt: at.toJSDate(),
  localTakenAt: formatClock(at),
  zone: at.zoneName ?? 'UTC',
  dateSource,
});

function subSecond(tags: RawTags, name: string | undefined): number | undefined {
  const text = name === undefined ? undefined : toText(tags[name])?.trim();
  return text !== undefined && /^\d{1,9}$/.test(text) ? fraction(text) : undefined;
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
