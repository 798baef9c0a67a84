import { type DateRule, type Days, toDays, LAST_TERM, THIS_TERM } from './date-terms.ts';

// Times counted from today.

export const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  ein: 1,
  eine: 1,
  einem: 1,
  einer: 1,
  zwei: 2,
  drei: 3,
  vier: 4,
  funf: 5,
  sechs: 6,
  sieben: 7,
  acht: 8,
  neun: 9,
  zehn: 10,
};
/** A pattern. */
export const NUMBER = `(?<number>\\d{1,3}|${Object.keys(NUMBERS).join('|')})`;
const toNumber = (text: string | undefined) =>
  text === undefined ? Number.NaN : (NUMBERS[text] ?? Number(text));

const UNITS = {
  day: 'days?|tage?n?',
  week: 'weeks?|wochen?',
  month: 'months?|monate?n?',
  year: 'years?|jahre?n?',
} as const;
type Unit = keyof typeof UNITS;
const UNIT = `(?:${Object.entries(UNITS)
  .map(([unit, names]) => `(?<${unit}>${names})`)
  .join('|')})`;
const getUnit = (groups: Readonly<Record<string, string | undefined>>): Unit =>
  (Object.keys(UNITS) as Unit[]).find((unit) => groups[unit] !== undefined) ?? 'day';

const SAME_DAY =
  '(?:(?:the\\s+)?(?:same|this)\\s+day|today|heute|(?:am\\s+)?(?:selben|gleichen)\\s+tag)';

export const relativeRules: readonly DateRule[] = [
  {
    // the same day last year, heute vor zwei Jahren
    pattern: new RegExp(
      `\\b(?:on\\s+)?${SAME_DAY},?\\s+(?:(?:in\\s+)?${LAST_TERM}\\s+(?:year|jahr)|${NUMBER}\\s+years?\\s+ago|vor\\s+(?<german>\\d{1,3}|\\w+)\\s+jahre?n?)\\b`,
      'g',
    ),
    read: readSameDay,
  },
  { pattern: new RegExp(`\\b${NUMBER}\\s+years?\\s+ago\\s+today\\b`, 'g'), read: readSameDay },
  {
    // two years ago, vor zwei Jahren: all of that year
    pattern: new RegExp(`\\b(?:${NUMBER}\\s+${UNIT}\\s+ago)\\b`, 'g'),
    read: readAgo,
  },
  { pattern: new RegExp(`\\bvor\\s+${NUMBER}\\s+${UNIT}\\b`, 'g'), read: readAgo },
  {
    // the last 3 months, in den letzten zwei Wochen
    pattern: new RegExp(`\\b${LAST_TERM}\\s+${NUMBER}\\s+${UNIT}\\b`, 'g'),
    read: (groups, { now }) => ({
      from: now.minus({ [getUnit(groups)]: toNumber(groups['number']) }).startOf('day'),
      to: undefined,
    }),
  },
  {
    pattern: new RegExp(`\\b${LAST_TERM}\\s+(?:weekend|wochenende)\\b`, 'g'),
    read: (_, { now }) => {
      const saturday = now.startOf('week').plus({ days: 5 });
      // On a weekend, the one before.
      return toWeekend(saturday.minus({ weeks: 1 }));
    },
  },
  {
    // Saturday and Sunday, of this week if they have begun.
    pattern: new RegExp(`\\b(?:${THIS_TERM}\\s+)?(?:weekend|wochenende)\\b`, 'g'),
    read: (_, { now }) => {
      const saturday = now.startOf('week').plus({ days: 5 });
      return toWeekend(saturday <= now ? saturday : saturday.minus({ weeks: 1 }));
    },
  },
  // No days of their own.
  { pattern: /\b(?:weekends|weekdays?|wochenenden|wochentage?n?)\b/g, read: () => [] },
  {
    pattern: new RegExp(`\\b${LAST_TERM}\\s+${UNIT}\\b`, 'g'),
    read: (groups, { now }) => {
      const unit = getUnit(groups);
      return toDays(now.minus({ [unit]: 1 }), unit);
    },
  },
  {
    pattern: new RegExp(`\\b${THIS_TERM}\\s+${UNIT}\\b`, 'g'),
    read: (groups, { now }) => toDays(now, getUnit(groups)),
  },
  {
    pattern: /\b(?:day before yesterday|vorgestern)\b/g,
    read: (_, { now }) => toDays(now.minus({ days: 2 }), 'day'),
  },
  {
    pattern: /\b(?:yesterday|gestern)\b/g,
    read: (_, { now }) => toDays(now.minus({ days: 1 }), 'day'),
  },
  { pattern: /\b(?:today|heute)\b/g, read: (_, { now }) => toDays(now, 'day') },
];

function readSameDay(
  { number, german }: Readonly<Record<string, string | undefined>>,
  { now }: { readonly now: Parameters<typeof toDays>[0] },
): Days | undefined {
  const years = toNumber(number ?? german ?? 'one');
  return Number.isNaN(years) ? undefined : toDays(now.minus({ years }), 'day');
}

function readAgo(
  groups: Readonly<Record<string, string | undefined>>,
  { now }: { readonly now: Parameters<typeof toDays>[0] },
): Days {
  const unit = getUnit(groups);
  return toDays(now.minus({ [unit]: toNumber(groups['number']) }), unit);
}

const toWeekend = (saturday: Parameters<typeof toDays>[0]): Days => ({
  from: saturday.startOf('day'),
  to: saturday.plus({ days: 1 }).endOf('day'),
});
