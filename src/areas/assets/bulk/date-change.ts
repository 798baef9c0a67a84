import { DateTime, type Zone } from 'luxon';
import { invalidField } from '../../../core/errors.ts';

/** When the pictures were taken, said once for all of them. */
export type BulkDates = {
  readonly dateTimeOriginal?: string | undefined;
  /** Minutes. */
  readonly dateTimeRelative?: number | undefined;
  readonly timeZone?: string | undefined;
};

export type Clock = {
  readonly instant: Date;
  /** What the clock showed there, as 'YYYY-MM-DDTHH:MM:SS.mmm'. */
  readonly local: string;
};

/** How the dates of the assets change. */
export type DateChange =
  /** All to one moment. */
  | { readonly kind: 'fixed'; readonly clock: Clock; readonly zone: string }
  /** Each by some minutes, and to another zone if there is one. */
  | { readonly kind: 'shift'; readonly minutes: number; readonly zone: NamedZone | undefined };

export type NamedZone = {
  readonly name: string;
  /** Undefined: it has summer time, or had. */
  readonly offsetMinutes: number | undefined;
};

/** Undefined when dates stay as they are. */
export function dateChangeOf({
  dateTimeOriginal: text,
  dateTimeRelative: minutes = 0,
  timeZone,
}: BulkDates): DateChange | undefined {
  const zone = timeZone === undefined ? undefined : zoneOf(timeZone);
  if (text === undefined) {
    if (minutes === 0 && zone === undefined) return undefined;
    return { kind: 'shift', minutes, zone: zone && named(zone) };
  }
  const own = parsed(text, undefined);
  if (zone === undefined && own.zone === undefined) throw wrongDate();
  const at = (own.zone === undefined ? parsed(text, zone).at : own.at).plus({ minutes });
  const there = zone === undefined ? at : at.setZone(zone);
  return { kind: 'fixed', clock: clockOf(there), zone: there.zoneName! };
}

/** `zone`: of the text itself, where it has an offset. */
function parsed(text: string, fallback: Zone | undefined) {
  const at = DateTime.fromISO(text, { setZone: true, zone: fallback ?? 'utc' });
  if (!at.isValid) throw wrongDate();
  const hasOffset = /[T ].*(Z|[+-]\d\d(:?\d\d)?)$/i.test(text);
  return { at, zone: hasOffset ? at.zone : undefined };
}

function clockOf(at: DateTime): Clock {
  if (at.year < 1 || at.year > 9999) throw wrongDate();
  return { instant: at.toJSDate(), local: at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS") };
}

const wrongDate = () => invalidField('dateTimeOriginal', 'Not a date with a time and an offset');
export const unknownZone = () => invalidField('timeZone', 'Not a time zone');

function zoneOf(name: string): Zone {
  const text = /^[+-]\d/.test(name) ? `UTC${name}` : name;
  const at = DateTime.utc().setZone(text);
  if (!at.isValid) throw unknownZone();
  return at.zone;
}

const named = (zone: Zone): NamedZone => ({
  name: zone.name,
  offsetMinutes: zone.isUniversal ? zone.offset(0) : undefined,
});
