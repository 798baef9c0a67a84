import { DateTime } from 'luxon';
import { invalidField } from '../../core/errors.ts';
import type { DateChange } from './schemas.ts';

export type CaptureTime = {
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  /** The clock where it was taken, in milliseconds as if it were UTC. */
  readonly local: number;
  /** As 'Europe/Berlin' or 'UTC+2'; null: unknown. */
  readonly timeZone: string | null;
};

/** A change whose source is read. */
export type ResolvedDateChange =
  Exclude<DateChange, { kind: 'copy' }> | ({ readonly kind: 'copy' } & CaptureTime);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Returns the name of a zone as the metadata of files have it. Throws 400 for one that does not exist. */
export function parseZone(name: string): string {
  const at = DateTime.utc().setZone(/^[+-]\d/.test(name) ? `UTC${name}` : name);
  if (!at.isValid || !at.zoneName) {
    throw invalidField('date.timeZone', 'Must be an IANA time zone or an offset, as UTC+2');
  }
  return at.zoneName;
}

/** Returns the change with its zone checked. Throws 400 that names a field that cannot be. */
export function validateDateChange<C extends ResolvedDateChange>(change: C): C {
  if (change.kind === 'shift' && change.minutes === 0) {
    throw invalidField('date.minutes', 'Must not be 0');
  }
  if (change.kind === 'zone') return { ...change, timeZone: parseZone(change.timeZone) };
  if (change.kind !== 'set') return change;
  const { day, time, timeZone } = change;
  if (day === undefined && time === undefined) throw invalidField('date.day', 'Must be given');
  if (day !== undefined && (!DateTime.fromISO(day).isValid || day < '0001-01-02')) {
    throw invalidField('date.day', 'Does not exist');
  }
  if (time !== undefined && !isTime(time)) throw invalidField('date.time', 'Does not exist');
  return timeZone === undefined ? change : { ...change, timeZone: parseZone(timeZone) };
}

const isTime = (text: string): boolean => {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return hour < 24 && minute < 60 && second < 60;
};

/**
 * Returns the new capture time of an item. Throws 400 for a clock that was skipped in the zone (start of summer
 * time), and for dates in the future or outside the years 1 to 9999.
 */
export function computeCaptureTime(
  before: CaptureTime,
  change: ResolvedDateChange,
  now: Date,
): CaptureTime {
  const after = apply(before, change);
  const isRepresentable =
    after.local >= Date.parse('0001-01-02T00:00:00Z') &&
    after.local < Date.parse('9999-12-31T00:00:00Z');
  if (!isRepresentable) throw invalidField(FIELDS[change.kind], 'Leaves the years 1 to 9999');
  if (after.takenAt > Math.max(now.getTime() + DAY_MS, before.takenAt)) {
    throw invalidField(FIELDS[change.kind], 'Leads to a date in the future');
  }
  return after;
}

const FIELDS = {
  set: 'date.day',
  shift: 'date.minutes',
  zone: 'date.timeZone',
  copy: 'date.assetId',
} as const;

function apply(before: CaptureTime, change: ResolvedDateChange): CaptureTime {
  switch (change.kind) {
    case 'copy':
      return { takenAt: change.takenAt, local: change.local, timeZone: change.timeZone };
    case 'shift':
      return atLocal(before, before.local + change.minutes * MINUTE_MS, before.timeZone);
    case 'zone': {
      if (change.keeps === 'clock') return atLocal(before, before.local, change.timeZone);
      const at = DateTime.fromMillis(before.takenAt, { zone: change.timeZone });
      return { ...before, local: toLocal(at), timeZone: change.timeZone };
    }
    case 'set': {
      const wanted = setClock(before.local, change);
      const after = atLocal(before, wanted, change.timeZone ?? before.timeZone);
      if (after.local !== wanted && change.time !== undefined) {
        throw invalidField('date.time', `Was skipped in ${after.timeZone}: clocks went forward`);
      }
      return after;
    }
  }
}

function setClock(local: number, { day, time }: Extract<DateChange, { kind: 'set' }>): number {
  const clock = new Date(local).toISOString();
  const [oldDay = '', oldTime = ''] = clock.split('T');
  const newTime = time === undefined ? oldTime.slice(0, -1) : time;
  return Date.parse(`${day ?? oldDay}T${newTime}Z`);
}

/** Returns the instant at which the clock of a zone shows this; without a zone the distance from UTC stays. */
function atLocal(before: CaptureTime, local: number, timeZone: string | null): CaptureTime {
  const at =
    timeZone === null
      ? undefined
      : DateTime.fromMillis(local, { zone: 'UTC' }).setZone(timeZone, { keepLocalTime: true });
  if (!at?.isValid) return { takenAt: local - before.local + before.takenAt, local, timeZone };
  return { takenAt: at.toMillis(), local: toLocal(at), timeZone };
}

const toLocal = (at: DateTime): number => at.toMillis() + at.offset * MINUTE_MS;
