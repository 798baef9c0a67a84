import { DateTime } from 'luxon';
import {
  AND_TERM,
  BETWEEN_TERM,
  type DateContext,
  type DateRule,
  type Days,
  findLatestBegun,
  findLatestPast,
  FROM_TERM,
  type Groups,
  isDayOfYear,
  LAST_TERM,
  LEAP_YEAR,
  OF_TERM,
  THIS_TERM,
  TO_TERM,
  toAnnualName,
  toAnnualRange,
  toDays,
  toWholeYear,
  toZoneOptions,
  type WholeDays,
} from './date-terms.ts';
import { AMBIGUOUS_MONTHS, getMonth, MONTH_NAMES, MONTH_NUMBERS } from './month-names.ts';

// Days and months by name.

const MONTH = `(?<month>${MONTH_NAMES})\\b\\.?`;
const YEAR = '(?<year>(?:18|19|20)\\d\\d)\\b';

const toDay = (
  year: number,
  month: number,
  day: number,
  context: DateContext,
): Days | undefined => {
  const at = DateTime.fromObject({ year, month, day }, toZoneOptions(context.now));
  return at.isValid ? toDays(at, 'day') : undefined;
};

/** For impossible days such as 31 February: the words stay text. */
const NO_DAYS: readonly Days[] = [];

const ORDINAL = '(?:st|nd|rd|th|er|º|\\.)?';

const namedYear = (name: string) => `(?<${name}>(?:18|19|20)\\d\\d)\\b`;

/** Returns the months from one to another, which may be of the next year; of any year where none is said. */
function readMonthRange({ first, since, last, year }: Groups, context: DateContext) {
  const [from, to] = [getMonth(first), getMonth(last)];
  if (year === undefined && since === undefined)
    return toAnnualRange({ names: [toAnnualName(from)] }, { names: [toAnnualName(to)] });
  return findLatestPast(year ?? since, context, (number) => {
    // A year after the first month belongs to the start of the range.
    const begins = Number(since ?? (from > to ? number - 1 : number));
    const ends = year === undefined && since !== undefined && from > to ? number + 1 : number;
    const span = {
      from: toMonth(begins, from, context).from,
      to: toMonth(ends, to, context).to,
    };
    return span.from <= span.to ? span : undefined;
  });
}

const FIRST_MONTH_OF_RANGE = `(?<first>${MONTH_NAMES})\\b\\.?(?:${OF_TERM}${namedYear('since')})?`;
const LAST_MONTH_OF_RANGE = `(?<last>${MONTH_NAMES})\\b\\.?(?:${OF_TERM}${YEAR})?(?![\\w'-])`;
const monthRangeRules: readonly DateRule[] = [
  // between July and September
  `\\b${BETWEEN_TERM}\\s+${FIRST_MONTH_OF_RANGE}\\s+(?:${AND_TERM}|${TO_TERM})\\s+${LAST_MONTH_OF_RANGE}`,
  // from November 2021 to March 2022, July – September
  `(?:\\b${FROM_TERM}\\s*)?\\b${FIRST_MONTH_OF_RANGE}\\s*(?:\\s${TO_TERM}|[-–])\\s*\\b${LAST_MONTH_OF_RANGE}`,
].map((pattern) => ({ pattern: new RegExp(pattern, 'g'), read: readMonthRange }));

const EAST_ASIAN_YEAR = (name: string) => `(?:(?<${name}>(?:18|19|20)\\d\\d)\\s?年の?\\s?)?`;
const eastAsianRules: readonly DateRule[] = [
  {
    // 7月から9月まで, 2021年7月到9月
    pattern: new RegExp(
      `[从在]?${EAST_ASIAN_YEAR('before')}(?<first>${MONTH_NUMBERS})月\\s?(?:(?:から|到|至|[-–~〜～])|[と和](?=[^月]{1,8}月(?:の間|之间)))\\s?${EAST_ASIAN_YEAR('after')}(?<last>${MONTH_NUMBERS})月(?:の間|之间|まて)?`,
      'g',
    ),
    read: ({ before, after, ...months }, context) =>
      readMonthRange({ ...months, since: before, year: after }, context),
  },
  {
    // 2021年8月24日, 8月24号, 八月
    pattern: new RegExp(
      `${EAST_ASIAN_YEAR('year')}(?<month>${MONTH_NUMBERS})月(?:(?<day>\\d{1,2})[日号])?`,
      'g',
    ),
    read: ({ day, month, year }, context) => {
      if (day !== undefined) return readNamedDay({ day, month, year }, context);
      if (year === undefined) return { names: [toAnnualName(getMonth(month))] };
      return toMonth(Number(year), getMonth(month), context);
    },
  },
  {
    pattern: /(?<year>(?:19|20)\d\d)\s?年(?!以来|以降)/g,
    read: ({ year }, context) => toWholeYear(Number(year), context),
  },
];

/** Days of one month, which is said behind the second, or in Japanese and Chinese before the first. */
const dayRangeRules: readonly DateRule[] = [
  // from 1 to 31 August 2022, 3.–7. Mai
  `(?:\\b${FROM_TERM}\\s*(?:el\\s+)?)?\\b(?<first>\\d{1,2})${ORDINAL}\\s*(?:\\s${TO_TERM}\\s|[-–])\\s*(?<last>\\d{1,2})${ORDINAL}\\s+(?:(?:of|de|di|del)\\s+)?${MONTH}(?:${OF_TERM}${YEAR})?`,
  // August 1–31, 2022
  `\\b${MONTH}\\s+(?<first>\\d{1,2})${ORDINAL}\\s*(?:\\s${TO_TERM}\\s|[-–])\\s*(?<last>\\d{1,2})${ORDINAL}(?!\\d)(?:,?\\s+${YEAR})?`,
  // 8月1日から31日まで
  `[从在]?${EAST_ASIAN_YEAR('year')}(?<month>${MONTH_NUMBERS})月(?<first>\\d{1,2})[日号]?\\s?(?:から|到|至|[-–~〜～])\\s?(?<last>\\d{1,2})[日号](?:まて)?`,
].map((pattern) => ({ pattern: new RegExp(pattern, 'g'), read: readDayRange }));

function readDayRange({ first, last, ...month }: Groups, context: DateContext) {
  const [from, to] = [first, last].map((day) => readNamedDay({ ...month, day }, context));
  if (!from || !to || Array.isArray(from) || Array.isArray(to)) return undefined;
  if ('names' in from && 'names' in to) return toAnnualRange(from, to);
  const [start, end] = [from, to] as Days[];
  return start?.from && end?.to && start.from <= end.to
    ? { from: start.from, to: end.to }
    : undefined;
}

type Part = 'early' | 'middle' | 'late';
/** Words for a part of a month or a year before it, and behind it in Japanese and Chinese. */
const PARTS: Readonly<Record<Part, readonly [spaced: string, joined: string]>> = {
  early: [
    "(?:(?:in\\s+)?early|(?:the\\s+)?(?:start|beginning)\\s+of|anfang|(?:au\\s+)?debut|(?:a\\s+)?(?:principios|comienzos|inicios)|(?:all['’])?inizi[oi]?|(?:no\\s+)?inicios?|begin|(?:na\\s+)?poczatk(?:u|iem)|poczatek)",
    '上旬|初め?|のはじめ|初旬',
  ],
  middle: [
    '(?:(?:in\\s+)?mid|(?:the\\s+)?middle\\s+of|mitte|mi|(?:a\\s+)?mediados|(?:a\\s+)?meta|(?:em\\s+)?meados|half|midden|(?:w\\s+)?polow(?:a|ie))',
    '中旬|半ば|中',
  ],
  late: [
    '(?:(?:in\\s+)?late|(?:the\\s+)?end\\s+of|ende|(?:a\\s+la\\s+)?fin(?:ales)?|(?:a\\s+)?fine|(?:no\\s+)?fi[mn](?:ais)?|eind(?:e)?|(?:pod\\s+koniec|koniec|koncem))',
    '下旬|末|の終わり頃?|底',
  ],
};
const PART_LINK = "(?:\\s+(?:of|de|di|do|d['’]|van)\\s*|[\\s-]+)";

/** First and last day of the parts of a month, and first and last month of those of a year. */
const DAYS_OF: Readonly<Record<Part, readonly [number, number]>> = {
  early: [1, 10],
  middle: [11, 20],
  late: [21, 31],
};
const MONTHS_OF: Readonly<Record<Part, readonly [number, number]>> = {
  early: [1, 4],
  middle: [5, 8],
  late: [9, 12],
};

const partRules: readonly DateRule[] = (Object.keys(PARTS) as Part[]).flatMap((part) => {
  const [spaced, joined] = PARTS[part];
  const readMonth: DateRule['read'] = ({ month, year }, context) => {
    const named = getMonth(month);
    const [first, most] = DAYS_OF[part];
    const days = DateTime.utc(Number(year ?? LEAP_YEAR), named).daysInMonth ?? most;
    const last = Math.min(most, days);
    return readDayRange({ first: String(first), last: String(last), month, year }, context);
  };
  const readYear: DateRule['read'] = ({ year }, context) => {
    const [from, to] = MONTHS_OF[part].map((month) => toMonth(Number(year), month, context));
    return { from: from?.from, to: to?.to };
  };
  return [
    {
      pattern: new RegExp(`\\b${spaced}${PART_LINK}${MONTH}(?:${OF_TERM}${YEAR})?`, 'g'),
      read: readMonth,
    },
    { pattern: new RegExp(`\\b${spaced}${PART_LINK}${YEAR}`, 'g'), read: readYear },
    {
      pattern: new RegExp(
        `${EAST_ASIAN_YEAR('year')}(?<month>${MONTH_NUMBERS})月の?(?:${joined})`,
        'g',
      ),
      read: readMonth,
    },
    {
      pattern: new RegExp(`(?<year>(?:18|19|20)\\d\\d)年の?(?:${joined})`, 'g'),
      read: readYear,
    },
  ];
});

export const dayRules: readonly DateRule[] = [
  ...dayRangeRules,
  ...partRules,
  ...monthRangeRules,
  ...eastAsianRules,
  {
    // 24 December 2022, 24. Dezember
    pattern: new RegExp(
      `\\b(?<day>\\d{1,2})${ORDINAL}\\s+(?:(?:of|de|di|del)\\s+)?${MONTH}(?:${OF_TERM}${YEAR})?`,
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
    // 2022-12-24, 2022/12/24
    pattern: new RegExp(
      `\\b${YEAR}(?<sign>[-/.])(?<month>\\d{1,2})\\k<sign>(?<day>\\d{1,2})\\b(?!\\d)`,
      'g',
    ),
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
    // 2022-12, 2022/12, 12/2022
    pattern: new RegExp(
      `\\b(?:${YEAR}[-/.](?<month>0[1-9]|1[0-2])|(?<![\\d/.])(?<early>0?[1-9]|1[0-2])[/.](?<late>(?:19|20)\\d\\d))\\b(?![-/.]\\d)`,
      'g',
    ),
    read: ({ year, late, month, early }, context) =>
      findLatestPast(year ?? late, context, (number) =>
        toMonth(number, Number(month ?? early), context),
      ),
  },
  {
    // March 2019
    pattern: new RegExp(`\\b${MONTH}(?:${OF_TERM}|\\s*')${YEAR}`, 'g'),
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
      `(?:\\b(?<hint>(?:in|im|during|en|em|w|v|a|mois\\s+de|mes\\s+de)(?:\\s+(?:every|any|jedem))?|every|any|jede[nmrs]?)\\s+)?\\b${MONTH}(?![\\w'-])`,
      'g',
    ),
    read: ({ hint, month }) =>
      hint === undefined && month !== undefined && AMBIGUOUS_MONTHS.has(month)
        ? undefined
        : { names: [toAnnualName(getMonth(month))] },
  },
];

function readNamedDay({ day, month, year }: Groups, context: DateContext) {
  if (year !== undefined)
    return toDay(Number(year), getMonth(month), Number(day), context) ?? NO_DAYS;
  const [named, at] = [getMonth(month), Number(day)];
  return isDayOfYear(named, at) ? { names: [toAnnualName(named, at)] as const } : NO_DAYS;
}

const toMonth = (year: number, month: number, { now }: DateContext): WholeDays =>
  toDays(DateTime.fromObject({ year, month }, toZoneOptions(now)), 'month');
