import { DateTime, type Zone } from 'luxon';
import { invalidField } from '../../../core/errors.ts';

export type BulkDates = {
  readonly dateTimeOriginal?: string | undefined;
  /** Minutes. */
  readonly dateTimeRelative?: number | undefined;
  readonly timeZone?: string | undefined;
};

export type CaptureTime = {
  readonly instant: Date;
  /** Local time as 'YYYY-MM-DDTHH:MM:SS.mmm'. */
  readonly local: string;
};

export type DateChange =
  /** All assets get one capture time. */
  | { readonly kind: 'fixed'; readonly clock: CaptureTime; readonly zone: string }
  /** Each capture time moves by some minutes and, if given, into another zone. */
  | { readonly kind: 'shift'; readonly minutes: number; readonly zone: NamedZone | undefined };

export type NamedZone = {
  readonly name: string;
  /** Undefined for zones whose offset varies (summer time). */
  readonly offsetMinutes: number | undefined;
};

/** Returns undefined when dates do not change. Throws 400 for an invalid date or zone. */
export function toDateChange({
  dateTimeOriginal: text,
  dateTimeRelative: minutes = 0,
  timeZone,
}: BulkDates): DateChange | undefined {
  const zone = timeZone === undefined ? undefined : parseZone(timeZone);
  if (text === undefined) {
    if (minutes === 0 && zone === undefined) return undefined;
    return { kind: 'shift', minutes, zone: zone && toNamedZone(zone) };
  }
  const parsed = parseDate(text, undefined);
  if (zone === undefined && parsed.zone === undefined) throw invalidDate();
  const instant = (parsed.zone === undefined ? parseDate(text, zone).at : parsed.at).plus({
    minutes,
  });
  const local = zone === undefined ? instant : instant.setZone(zone);
  return { kind: 'fixed', clock: toClock(local), zone: local.zone.name };
}

/** Parses an ISO 8601 date; the returned `zone` is defined if the text has an offset. */
function parseDate(text: string, fallback: Zone | undefined) {
  const at = DateTime.fromISO(text, { setZone: true, zone: fallback ?? 'utc' });
  if (!at.isValid) throw invalidDate();
  const hasOffset = /[T ].*(Z|[+-]\d\d(:?\d\d)?)$/i.test(text);
  return { at, zone: hasOffset ? at.zone : undefined };
}

function toClock(at: DateTime): CaptureTime {
  if (at.year < 1 || at.year > 9999) throw invalidDate();
  return { instant: at.toJSDate(), local: at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS") };
}

const invalidDate = () =>
  invalidField('dateTimeOriginal', 'Must be an ISO 8601 date with a time and an offset');
export const invalidZone = () => invalidField('timeZone', 'Must be an IANA time zone or an offset');

function parseZone(name: string): Zone {
  const text = /^[+-]\d/.test(name) ? `UTC${name}` : name;
  const at = DateTime.utc().setZone(text);
  if (!at.isValid) throw invalidZone();
  return at.zone;
}

const toNamedZone = (zone: Zone): NamedZone => ({
  name: zone.name,
  offsetMinutes: zone.isUniversal ? zone.offset(0) : undefined,
});
