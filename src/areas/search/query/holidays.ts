import { DateTime } from 'luxon';
import { foldInPlace } from '../match/words.ts';
import {
  AND_TERM,
  type Annual,
  BETWEEN_TERM,
  type DateContext,
  type DateRule,
  type Days,
  findLatestPast,
  FROM_TERM,
  LAST_AFTER_TERM,
  LAST_TERM,
  OF_TERM,
  THIS_TERM,
  TO_TERM,
  toLatin,
  toZoneOptions,
} from './date-terms.ts';
import { isPartOfThing } from './date-links.ts';
import { HOLIDAY_NAMES, type HolidayName } from './holiday-names.ts';

// Days that have a name, in the page's languages.

/** Easter Sunday, by the anonymous Gregorian algorithm. */
function easter(year: number): DateTime {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const h =
    (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  return DateTime.utc(year, month, ((h + l - 7 * m + 114) % 31) + 1);
}

const CHINESE = new Intl.DateTimeFormat('en-u-ca-chinese', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'Asia/Shanghai',
});
/** A month of the moon has at least so many days. */
const MOON_DAYS = 29;
/** By year: computing one takes a millisecond. */
const springFestivals = new Map<number, DateTime>();

/** The first day of the Chinese calendar, between 21 January and 21 February. */
function springFestival(year: number): DateTime {
  const day = springFestivals.get(year) ?? findFirstDay(DateTime.utc(year, 1, 20));
  springFestivals.set(year, day);
  return day;
}

function findFirstDay(day: DateTime): DateTime {
  const text = CHINESE.format(day.plus({ hours: 4 }).toJSDate());
  if (text === '1/1') return day;
  return findFirstDay(day.plus({ days: Math.max(1, MOON_DAYS - Number(text.split('/')[1])) }));
}

/** The fourth Thursday of November. */
function thanksgiving(year: number): DateTime {
  const first = DateTime.utc(year, 11, 1);
  return first.plus({ days: ((4 - first.weekday + 7) % 7) + 21 });
}

/** The n-th Sunday of a month. */
function findSunday(year: number, month: number, n: number): DateTime {
  const first = DateTime.utc(year, month, 1);
  return first.plus({ days: ((7 - first.weekday) % 7) + 7 * (n - 1) });
}

/** The last Sunday of May, or a week later if that is Pentecost. */
function frenchMothersDay(year: number): DateTime {
  const last = DateTime.utc(year, 5, 31);
  const sunday = last.minus({ days: last.weekday % 7 });
  const isPentecost = sunday.equals(easter(year).plus({ days: 49 }));
  return isPentecost ? sunday.plus({ weeks: 1 }) : sunday;
}

type Holiday = {
  readonly first: (year: number) => DateTime;
  readonly days: number;
  /** Whether it is on other days each year. */
  readonly moves: boolean;
};
const fixed = (month: number, day: number, days = 1): Holiday => ({
  first: (year) => DateTime.utc(year, month, day),
  days,
  moves: false,
});
const moving = (first: Holiday['first'], days: number): Holiday => ({ first, days, moves: true });

const HOLIDAYS: Readonly<Record<HolidayName, Holiday>> = {
  christmasEve: fixed(12, 24),
  christmas: fixed(12, 24, 3),
  newYearsEve: fixed(12, 31, 2),
  newYear: fixed(1, 1),
  halloween: fixed(10, 31),
  valentine: fixed(2, 14),
  namorados: fixed(6, 12),
  thanksgiving: moving(thanksgiving, 1),
  easter: moving((year) => easter(year).minus({ days: 2 }), 4),
  pentecost: moving((year) => easter(year).plus({ days: 49 }), 2),
  epiphany: fixed(1, 6),
  carnival: moving((year) => easter(year).minus({ days: 52 }), 6),
  labourDay: fixed(5, 1),
  assumption: fixed(8, 15),
  allSaints: fixed(11, 1),
  saintNicholas: fixed(12, 5, 2),
  springFestival: moving((year) => springFestival(year).minus({ days: 1 }), 8),
  goldenWeek: fixed(4, 29, 7),
  obon: fixed(8, 13, 4),
  nationalDay: fixed(10, 1, 7),
  mothersDay: moving((year) => findSunday(year, 5, 2), 1),
  frenchMothersDay: moving(frenchMothersDay, 1),
  spanishMothersDay: moving((year) => findSunday(year, 5, 1), 1),
  polishMothersDay: fixed(5, 26),
  fathersDay: moving((year) => findSunday(year, 6, 3), 1),
  germanFathersDay: moving((year) => easter(year).plus({ days: 39 }), 1),
  saintJoseph: fixed(3, 19),
  brazilianFathersDay: moving((year) => findSunday(year, 8, 2), 1),
  polishFathersDay: fixed(6, 23),
  childrensDay: fixed(6, 1),
  brazilianChildrensDay: fixed(10, 12),
  japaneseChildrensDay: fixed(5, 5),
  kingsDay: fixed(4, 27),
};

/** Returns the days of a holiday in a year. */
function toHolidayDays(holiday: HolidayName, year: number, { now }: DateContext): Days {
  const { first, days } = HOLIDAYS[holiday];
  const from = first(year).setZone(toZoneOptions(now).zone, { keepLocalTime: true });
  return { from: from.startOf('day'), to: from.plus({ days: days - 1 }).endOf('day') };
}

/** Years of photos, counted back from today, whose moving days are listed. */
const YEARS_BACK = 100;

/** Returns the days of a holiday in any year. */
function toAnnualDays(holiday: HolidayName, { now }: DateContext): Annual {
  const { first, days, moves } = HOLIDAYS[holiday];
  const years = moves ? Array.from({ length: YEARS_BACK }, (_, back) => now.year - back) : [2000];
  const names = years.toReversed().flatMap((year) =>
    Array.from({ length: days }, (_, after) =>
      first(year)
        .plus({ days: after })
        .toFormat(moves ? 'yyyy-MM-dd' : 'MM-dd'),
    ),
  );
  return { names: names as [string, ...string[]] };
}

/** Returns the holidays with a day in one of the months ('2023-12'). */
export function listHolidaysOfMonths(months: readonly string[]): HolidayName[] {
  const known = new Set(months);
  const years = [...new Set(months.map((month) => Number(month.slice(0, 4))))];
  return (Object.keys(HOLIDAYS) as HolidayName[]).filter((holiday) =>
    years.some((year) => known.has(HOLIDAYS[holiday].first(year).toISODate()?.slice(0, 7) ?? '')),
  );
}

const EAST_ASIAN = /[\u3040-\u30ff\u4e00-\u9fff]/;

/** Returns a pattern of the names of a holiday, as whole words. */
function toPattern({ labels, others = '' }: (typeof HOLIDAY_NAMES)[HolidayName]): string {
  const known = labels.map((label) =>
    toLatin(foldInPlace(label)).replaceAll(/[\s-]/g, '[\\s-]').replaceAll('’', "['’]?"),
  );
  const all = [...new Set([...toLatin(foldInPlace(others)).split('|'), ...known])].filter(Boolean);
  all.sort((a, b) => b.length - a.length);
  const [eastern, western] = [true, false].map((is) =>
    all.filter((name) => EAST_ASIAN.test(name) === is).join('|'),
  );
  return [
    western && `(?<![\\p{L}\\p{N}])(?:${western})(?![\\p{L}\\p{N}])`,
    // A Japanese word that goes on is of a thing: クリスマスツリー.
    eastern && `(?:${eastern})(?![\\p{Script=Katakana}ー])`,
  ]
    .filter(Boolean)
    .join('|');
}

const LAST_BEFORE = `${LAST_TERM}\\s+|(?:去年|昨年)[の的]?\\s?`;
const LAST_AFTER = `\\s+${LAST_AFTER_TERM}\\b`;
const YEAR = '(?:18|19|20)\\d\\d';

const namedDays: readonly DateRule[] = Object.entries(HOLIDAY_NAMES).map(([name, names]) => ({
  pattern: new RegExp(
    `(?<=(?:(?<whole>\\p{L}+)\\s+d[eio]\\s+)?)(?:(?<latest>${LAST_BEFORE}|${THIS_TERM}\\s+)|(?<before>${YEAR})\\s?年の?\\s?)?` +
      `(?:${toPattern(names)})(?:(?:${OF_TERM}(?<after>${YEAR})\\b)|(?<past>${LAST_AFTER}))?(?=(?:\\s+(?<next>\\p{L}[\\p{L}']*))?)`,
    'gu',
  ),
  read: ({ whole, latest, before, after, past, next }, context) => {
    const holiday = name as HolidayName;
    const year = before ?? after;
    if (year === undefined && latest === undefined && past === undefined)
      return isPartOfThing(whole, next) ? undefined : toAnnualDays(holiday, context);
    return findLatestPast(year, context, (number) => toHolidayDays(holiday, number, context));
  },
}));

export const holidayRules: readonly DateRule[] = [
  {
    // between Christmas and New Year 2022: the year is that of the first
    pattern: new RegExp(
      `\\b(?:${BETWEEN_TERM}|${FROM_TERM})\\s+(?:${toPattern(HOLIDAY_NAMES.christmas)})\\s+(?:${AND_TERM}|${TO_TERM})\\s+(?:${toPattern(HOLIDAY_NAMES.newYearsEve)}|${toPattern(HOLIDAY_NAMES.newYear)})${OF_TERM}(?<year>${YEAR})\\b`,
      'gu',
    ),
    read: ({ year }, context) => ({
      from: toHolidayDays('christmas', Number(year), context).from,
      to: toHolidayDays('newYear', Number(year) + 1, context).to,
    }),
  },
  ...namedDays,
];
