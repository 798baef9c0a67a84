import { DateTime } from 'luxon';

/** Days of the owner's calendar, both included; without an end it goes on until now. */
export type Days = { readonly from: DateTime | undefined; readonly to: DateTime | undefined };

export type DateContext = {
  /** In the owner's zone. */
  readonly now: DateTime;
  /** South of the equator, summer is around the turn of the year. */
  readonly isSouthern: boolean;
};

export type DateRule = {
  /** For text without marks and capitals. */
  readonly pattern: RegExp;
  /** Undefined: it only looked like one. */
  readonly read: (groups: Groups, context: DateContext) => Days | readonly Days[] | undefined;
};
export type Groups = Readonly<Record<string, string | undefined>>;

export const toWholeYear = (year: number, { now }: DateContext): Days | undefined =>
  year >= 1800 && year <= now.year
    ? toDays(DateTime.fromObject({ year }, toZoneOptions(now)), 'year')
    : undefined;

export const toDays = (at: DateTime, unit: 'day' | 'week' | 'month' | 'year'): Days => ({
  from: at.startOf(unit),
  to: at.endOf(unit),
});

export const toZoneOptions = (now: DateTime) => ({ zone: now.zone });

/** `last` month and its like, English and German; `plain` as findDates says. */
export const LAST_TERM = '(?:last|past|previous|letzte[nmrs]?|vorige[nmrs]?|vergangene[nmrs]?)';
export const THIS_TERM = '(?:this|diese[nmrs]?)';
