import { DateTime } from 'luxon';
import { requireValue } from '../../../core/required.ts';
import {
  type DateContext,
  type DateRule,
  type Days,
  findLatestBegun,
  type Groups,
  toDays,
  LAST_TERM,
  THIS_TERM,
  toOccurrence,
  toZoneOptions,
  type WholeDays,
} from './date-terms.ts';

// Days and months by name, holidays, seasons.

const MONTHS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    ['january', 'jan', 'januar', 'janner'],
    ['february', 'feb', 'februar'],
    ['march', 'mar', 'marz', 'maerz'],
    ['april', 'apr'],
    ['may', 'mai'],
    ['june', 'jun', 'juni'],
    ['july', 'jul', 'juli'],
    ['august', 'aug'],
    ['september', 'sep', 'sept'],
    ['october', 'oct', 'oktober', 'okt'],
    ['november', 'nov'],
    ['december', 'dec', 'dezember', 'dez'],
  ].flatMap((names, index) => names.map((name) => [name, index + 1])),
);
const getMonth = (name: string | undefined): number =>
  requireValue(MONTHS[name ?? ''], 'month of this name');
const NAMES = Object.keys(MONTHS).toSorted((a, b) => b.length - a.length);
export const MONTH = `(?<month>${NAMES.join('|')})\\b\\.?`;
/** Month names that are ordinary words: they count only after a hint such as 'in'. */
const AMBIGUOUS_MONTHS = new Set([
  'march',
  'mar',
  'may',
  'mai',
  'sep',
  'dec',
  'jan',
  'jun',
  'nov',
  'apr',
  'aug',
]);
export const YEAR = '(?<year>(?:18|19|20)\\d\\d)\\b';

/** Returns the days in the named year, else their latest occurrence that has begun. */
function findLatestPast(
  year: string | undefined,
  { now }: DateContext,
  of: (year: number) => Days | undefined,
): Days | undefined {
  // A named year counts even if it lies in the future.
  return year === undefined ? findLatestBegun({ now }, of) : of(Number(year));
}

const keepIfBegun = (days: Days | undefined, now: DateTime): Days | undefined =>
  days?.from && days.from <= now ? days : undefined;

const toDay = (
  year: number,
  month: number,
  day: number,
  context: DateContext,
): Days | undefined => {
  const at = DateTime.fromObject({ year, month, day }, toZoneOptions(context.now));
  return at.isValid ? toDays(at, 'day') : undefined;
};

const toSpan = (from: DateTime, days: number): Days => ({
  from: from.startOf('day'),
  to: from.plus({ days: days - 1 }).endOf('day'),
});

/** Easter Sunday, by the anonymous Gregorian algorithm. */
function easter(year: number, { now }: DateContext): DateTime {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h =
    (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return DateTime.fromObject(
    { year, month, day: ((h + l - 7 * m + 114) % 31) + 1 },
    toZoneOptions(now),
  );
}

type Holiday = (year: number, context: DateContext) => Days;
const fixedDate =
  (month: number, day: number, days = 1): Holiday =>
  (year, { now }) =>
    toSpan(DateTime.fromObject({ year, month, day }, toZoneOptions(now)), days);

/** The fourth Thursday of November. */
const thanksgiving: Holiday = (year, { now }) => {
  const first = DateTime.fromObject({ year, month: 11, day: 1 }, toZoneOptions(now));
  return toSpan(first.plus({ days: ((4 - first.weekday + 7) % 7) + 21 }), 1);
};

const HOLIDAYS: readonly (readonly [string, Holiday])[] = [
  ['christmas eve|heiligabend|heiliger abend', fixedDate(12, 24)],
  ['christmas(?: day)?|xmas|weihnacht(?:en|stage?)?', fixedDate(12, 24, 3)],
  ["new years? ?'?s? eve|nye|silvester", fixedDate(12, 31, 2)],
  ["new year'?s?(?: day)?|neujahr", fixedDate(1, 1)],
  ['halloween', fixedDate(10, 31)],
  ["valentine'?s?(?: day)?|valentinstag", fixedDate(2, 14)],
  ['thanksgiving', thanksgiving],
  ['easter|ostern', (year, context) => toSpan(easter(year, context).minus({ days: 2 }), 4)],
  [
    'pentecost|whitsun|pfingsten',
    (year, context) => toSpan(easter(year, context).plus({ days: 49 }), 2),
  ],
];

const SEASONS = {
  spring: 'spring|fruhling|fruhjahr',
  summer: 'summer|sommer',
  autumn: 'autumn|fall|herbst',
  winter: 'winter',
} as const;
type Season = keyof typeof SEASONS;
const FIRST_MONTH: Readonly<Record<Season, number>> = {
  spring: 3,
  summer: 6,
  autumn: 9,
  winter: 12,
};

/** Three months; a winter belongs to the year in which it begins. */
function getSeason(season: Season, year: number, { now, isSouthern }: DateContext): Days {
  const month = ((FIRST_MONTH[season] - 1 + (isSouthern ? 6 : 0)) % 12) + 1;
  const from = DateTime.fromObject({ year, month, day: 1 }, toZoneOptions(now));
  return { from, to: from.plus({ months: 2 }).endOf('month') };
}

/** Returns the latest season that is over; with 'this', the one that has begun. */
function findNearestSeason(season: Season, which: string, context: DateContext): Days | undefined {
  const isThis = /^(this|dies)/.test(which);
  for (let back = 0; back <= 2; back++) {
    const days = getSeason(season, context.now.year - back, context);
    const isOver = days.to !== undefined && days.to < context.now;
    if (isThis ? keepIfBegun(days, context.now) : isOver) return days;
  }
  return undefined;
}

const OF_TERM = '(?:\\s+(?:of|in|von)?\\s*|\\s*)';

const seasonRules: readonly DateRule[] = (Object.keys(SEASONS) as Season[]).flatMap((season) => [
  {
    pattern: new RegExp(`\\b(?:${SEASONS[season]})${OF_TERM}${YEAR}(?:[/-](?:20)?\\d\\d\\b)?`, 'g'),
    read: ({ year }, context) => getSeason(season, Number(year), context),
  },
  {
    pattern: new RegExp(`\\b(?<which>${LAST_TERM}|${THIS_TERM})\\s+(?:${SEASONS[season]})\\b`, 'g'),
    read: ({ which }, context) => findNearestSeason(season, which ?? '', context),
  },
]);

const holidayRules: readonly DateRule[] = HOLIDAYS.map(([names, of]) => ({
  pattern: new RegExp(
    `\\b(?:(?:${LAST_TERM}|${THIS_TERM})\\s+)?(?:${names})\\b(?:${OF_TERM}${YEAR})?`,
    'g',
  ),
  read: ({ year }, context) => findLatestPast(year, context, (number) => of(number, context)),
}));

/** For impossible days such as 31 February: the words stay text. */
const NO_DAYS: readonly Days[] = [];

const ORDINAL = '(?:st|nd|rd|th|\\.)?';

const AND = '\\s+(?:and|und|to|until|till|bis|-|–)\\s+(?:the\\s+)?';
const BETWEEN = '\\b(?:between|from|zwischen|von)\\s+';
const NAME = NAMES.join('|');
const namedYear = (name: string) => `(?<${name}>(?:18|19|20)\\d\\d)\\b`;

const betweenRules: readonly DateRule[] = [
  {
    // between Christmas and New Year 2022: the year is that of the holidays
    pattern: new RegExp(
      `${BETWEEN}(?:christmas|xmas|weihnachten)${AND}(?:new years?(?:'s)?(?: eve| day)?|neujahr|silvester)\\b(?:${OF_TERM}${YEAR})?`,
      'g',
    ),
    read: ({ year }, context) =>
      findLatestPast(year, context, (number) => ({
        from: fixedDate(12, 24)(number, context).from,
        to: fixedDate(1, 1)(number + 1, context).to,
      })),
  },
  {
    // from November 2021 to March 2022, between July and September
    pattern: new RegExp(
      `${BETWEEN}(?<first>${NAME})\\b\\.?(?:${OF_TERM}${namedYear('since')})?${AND}(?<last>${NAME})\\b\\.?(?:${OF_TERM}${YEAR})?`,
      'g',
    ),
    read: ({ first, since, last, year }, context) =>
      findLatestPast(year ?? since, context, (number) => {
        const [from, to] = [getMonth(first), getMonth(last)];
        // A year after the first month belongs to the start of the range.
        const begins = Number(since ?? (from > to ? number - 1 : number));
        const ends = year === undefined && since !== undefined && from > to ? number + 1 : number;
        const span = {
          from: toMonth(begins, from, context).from,
          to: toMonth(ends, to, context).to,
        };
        return span.from <= span.to ? span : undefined;
      }),
  },
];

export const dayRules: readonly DateRule[] = [
  ...betweenRules,
  ...holidayRules,
  ...seasonRules,
  {
    // 24 December 2022, 24. Dezember
    pattern: new RegExp(
      `\\b(?<day>\\d{1,2})${ORDINAL}\\s+(?:of\\s+)?${MONTH}(?:,?\\s+${YEAR})?`,
      'g',
    ),
    read: readNamedDay,
  },
  {
    // December 24, 2022
    pattern: new RegExp(
      `\\b${MONTH}\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?\\b(?!\\d)(?:,?\\s+${YEAR})?`,
      'g',
    ),
    read: readNamedDay,
  },
  {
    // 2022-12-24
    pattern: new RegExp(`\\b${YEAR}-(?<month>\\d\\d)-(?<day>\\d\\d)\\b`, 'g'),
    read: ({ year, month, day }, context) =>
      toDay(Number(year), Number(month), Number(day), context) ?? NO_DAYS,
  },
  {
    // 24.12.2022
    pattern: new RegExp(`\\b(?<day>\\d{1,2})\\.\\s?(?<month>\\d{1,2})\\.\\s?${YEAR}`, 'g'),
    read: ({ year, month, day }, context) =>
      toDay(Number(year), Number(month), Number(day), context) ?? NO_DAYS,
  },
  {
    // 2022-12, 12/2022
    pattern: new RegExp(
      `\\b(?:${YEAR}-(?<month>0[1-9]|1[0-2])|(?<![\\d/.])(?<early>0?[1-9]|1[0-2])[/.](?<late>(?:19|20)\\d\\d))\\b(?![-/.]\\d)`,
      'g',
    ),
    read: ({ year, late, month, early }, context) =>
      findLatestPast(year ?? late, context, (number) =>
        toMonth(number, Number(month ?? early), context),
      ),
  },
  {
    // March 2019
    pattern: new RegExp(`\\b${MONTH}(?:\\s+(?:of|in|von)?\\s*|\\s*[,']?\\s*)${YEAR}`, 'g'),
    read: ({ month, year }, context) =>
      findLatestPast(year, context, (number) => toMonth(number, getMonth(month), context)),
  },
  {
    // letzten Mai, this August
    pattern: new RegExp(`\\b(?:${LAST_TERM}|${THIS_TERM})\\s+${MONTH}(?![\\w'-])`, 'g'),
    read: ({ month }, context) =>
      findLatestBegun(context, (number) => toMonth(number, getMonth(month), context)),
  },
  {
    // in March, December: of any year
    pattern: new RegExp(
      `(?:\\b(?<hint>(?:in|im|during)(?:\\s+(?:every|any|jedem))?|every|any|jede[nmrs]?)\\s+)?\\b${MONTH}(?![\\w'-])`,
      'g',
    ),
    read: ({ hint, month }) =>
      hint === undefined && month !== undefined && AMBIGUOUS_MONTHS.has(month)
        ? undefined
        : { month: getMonth(month) },
  },
];

function readNamedDay({ day, month, year }: Groups, context: DateContext) {
  if (year !== undefined)
    return toDay(Number(year), getMonth(month), Number(day), context) ?? NO_DAYS;
  const any = { month: getMonth(month), day: Number(day) };
  return toOccurrence(any, LEAP_YEAR, context.now) ? any : NO_DAYS;
}

const LEAP_YEAR = 2000;

const toMonth = (year: number, month: number, { now }: DateContext): WholeDays =>
  toDays(DateTime.fromObject({ year, month }, toZoneOptions(now)), 'month');
