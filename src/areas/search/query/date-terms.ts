import { DateTime } from 'luxon';

/** An inclusive range of days in the owner's time zone; open-ended where undefined. */
export type Days = { readonly from: DateTime | undefined; readonly to: DateTime | undefined };
export type WholeDays = { readonly from: DateTime; readonly to: DateTime };

/** A month of any year, or a day of it. */
export type Recurring = { readonly month: number; readonly day?: number };
/** The meaning of the words of a date. */
export type DateMeaning = Days | Recurring;

export const isRecurring = (date: DateMeaning): date is Recurring => 'month' in date;

export type DateContext = {
  /** In the owner's zone. */
  readonly now: DateTime;
  /** Seasons are reversed south of the equator. */
  readonly isSouthern: boolean;
};

export type DateRule = {
  /** For folded text. */
  readonly pattern: RegExp;
  /** Undefined when the match is no date after all. */
  readonly read: (
    groups: Groups,
    context: DateContext,
  ) => DateMeaning | readonly Days[] | undefined;
};
export type Groups = Readonly<Record<string, string | undefined>>;

export const toWholeYear = (year: number, { now }: DateContext): Days | undefined =>
  year >= 1800 && year <= now.year
    ? toDays(DateTime.fromObject({ year }, toZoneOptions(now)), 'year')
    : undefined;

export const toDays = (at: DateTime, unit: 'day' | 'week' | 'month' | 'year'): WholeDays => ({
  from: at.startOf(unit),
  to: at.endOf(unit),
});

export const toZoneOptions = (now: DateTime) => ({ zone: now.zone });

/** Words for 'last' and 'this', English and German, in folded text. */
export const LAST_TERM = '(?:last|past|previous|letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?)';
export const THIS_TERM = '(?:this|diese[nmrs]?)';

/** Returns the latest of the days, by their year, that has begun. */
export function findLatestBegun(
  { now }: Pick<DateContext, 'now'>,
  of: (year: number) => Days | undefined,
): Days | undefined {
  // 29 February may be eight years ago.
  for (let back = 0; back <= 8; back++) {
    const days = of(now.year - back);
    if (days?.from && days.from <= now) return days;
  }
  return undefined;
}

/** Returns the days of a year; undefined for 29 February of most years. */
export function toOccurrence(
  { month, day }: Recurring,
  year: number,
  now: DateTime,
): WholeDays | undefined {
  const at = DateTime.fromObject({ year, month, day: day ?? 1 }, toZoneOptions(now));
  return at.isValid ? toDays(at, day === undefined ? 'month' : 'day') : undefined;
}
