import { DateTime } from 'luxon';

/** An inclusive range of days in the owner's time zone; open-ended where undefined. */
export type Days = { readonly from: DateTime | undefined; readonly to: DateTime | undefined };
export type WholeDays = { readonly from: DateTime; readonly to: DateTime };

/**
 * Days of any year, in order: months ('08'), days of each ('08-24'), or where they move those of single years
 * ('2024-03-31'). A range may go on into the next year.
 */
export type Annual = { readonly names: readonly [string, ...string[]] };
/** The meaning of the words of a date. */
export type DateMeaning = Days | Annual;

export const isAnnual = (date: DateMeaning): date is Annual => 'names' in date;

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

/** Returns Cyrillic as Latin letters, one for each, so that patterns know where its words end. */
export const toLatin = (text: string): string =>
  text.replaceAll(/[\u0430-\u044f]/g, (letter) => LATIN[letter.charCodeAt(0) - FIRST] ?? letter);
const LATIN = 'abvgdejziiklmnoprstufhcqxxwyweua';
const FIRST = 0x4_30;

/** Words for 'last' and 'this' before a date in folded text; those for 'last' behind it. */
export const LAST_TERM = `(?:last|past|previous|letzte[nmrs]?|vorige[nmrs]?|vorig|vergangene[nmrs]?|afgelopen|laatste|ultim[oaie]s?|dernieres?|derniers?|scors[oaie]|passat[oaie]|zeszl\\w+|ostatni\\w*|ubiegl\\w+|minion\\w+|${toLatin('прошл')}\\w+|${toLatin('последн')}\\w+)`;
export const THIS_TERM = `(?:this|diese[nmrs]?|cet|cette|est[ea]|quest[oa]|quest['’]|deze|dit|ten|tego|tej|tym|[nd]est[ea]|${toLatin('эт')}(?:ot|a|o|ogo|oi|im|u|om))`;
export const LAST_AFTER_TERM = '(?:derniere?|passee?|pasad[oa]|passad[oa]|scors[oa]|passat[oa])';

/** Words between a date and its year: 'March of 2019', 'agosto de 2021', 'Natale del 2022'. */
export const OF_TERM = '(?:\\s+(?:of|in|von|de|del|di|do|van|en|em|w)\\s+|[\\s,]*)';

/** Words before and between the two ends of a range; 'from July and August' is none. */
export const BETWEEN_TERM = `(?:between|zwischen|entre|tra|fra|tussen|miedzy|${toLatin('между')})`;
export const FROM_TERM = `(?:from|since|von|vom|seit|ab|de|del|du|depuis|desde|da|dal|van|sinds|vanaf|od|d['’]|s)`;
export const TO_TERM =
  "(?:to|until|till|through|bis(?: zum)?|a|ao|au|jusqu['’](?:a|au|en)|hasta(?: el)?|al|tot(?: en met)?|t/m|do|ate|po|-|–)";
export const AND_TERM = '(?:and|und|et|y|e|en|i)';

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

/** Returns the days in the named year, which may lie in the future, else their latest occurrence that has begun. */
export const findLatestPast = (
  year: string | undefined,
  { now }: DateContext,
  of: (year: number) => Days | undefined,
): Days | undefined => (year === undefined ? findLatestBegun({ now }, of) : of(Number(year)));

const two = (part: number): string => String(part).padStart(2, '0');

/** Returns '08' for a month of any year, '08-24' for a day of it. */
export const toAnnualName = (month: number, day?: number): string =>
  day === undefined ? two(month) : `${two(month)}-${two(day)}`;

export const LEAP_YEAR = 2000;

/** Returns whether the day is one of some year. */
export const isDayOfYear = (month: number, day: number): boolean =>
  DateTime.utc(LEAP_YEAR, month, day).isValid;

/** Returns the first to the last of days that begin in a year; undefined for 29 February of most. */
export function toOccurrence(
  { names }: Annual,
  year: number,
  now: DateTime,
): WholeDays | undefined {
  const own = names.filter((name) => name.length <= 5 || name.startsWith(`${year}-`));
  const [first, last] = [own.at(0)?.slice(-5), own.at(-1)?.slice(-5)];
  if (first === undefined || last === undefined) return undefined;
  const toDate = (name: string, at: number) => {
    const [month = 1, day = 1] = name.split('-').map(Number);
    return DateTime.fromObject({ year: at, month, day }, toZoneOptions(now));
  };
  const [from, to] = [toDate(first, year), toDate(last, last < first ? year + 1 : year)];
  if (!from.isValid || !to.isValid) return undefined;
  return { from: from.startOf('day'), to: to.endOf(last.length === 2 ? 'month' : 'day') };
}

/**
 * Returns the days of any year from one date to another, over the turn of the year if the second is earlier: months
 * where both are. Undefined where either moves.
 */
export function toAnnualRange(first: Annual, last: Annual): Annual | undefined {
  const [from, to] = [first.names[0], last.names.at(-1) ?? ''];
  if (from.length > 5 || to.length > 5) return undefined;
  const unit = from.length === 2 && to.length === 2 ? 'months' : 'days';
  const start = DateTime.utc(LEAP_YEAR, ...toNumbers(from));
  let end = DateTime.utc(LEAP_YEAR, ...toNumbers(to));
  if (unit === 'days' && to.length === 2) end = end.endOf('month').startOf('day');
  if (end < start) end = end.plus({ years: 1 });
  const format = unit === 'months' ? 'MM' : 'MM-dd';
  const names: [string, ...string[]] = [start.toFormat(format)];
  for (let at = start.plus({ [unit]: 1 }); at <= end; at = at.plus({ [unit]: 1 }))
    names.push(at.toFormat(format));
  return { names };
}

const toNumbers = (name: string): [number, number] => {
  const [month = 1, day = 1] = name.split('-').map(Number);
  return [month, day];
};
