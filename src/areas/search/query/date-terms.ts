import { DateTime } from 'luxon';

/** An inclusive range of days in the owner's time zone; open-ended where undefined. */
export type Days = { readonly from: DateTime | undefined; readonly to: DateTime | undefined };
export type WholeDays = { readonly from: DateTime; readonly to: DateTime };

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
  readonly read: (groups: Groups, context: DateContext) => Days | readonly Days[] | undefined;
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
