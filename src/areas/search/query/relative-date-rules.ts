import { listNumberWords } from '../labels/number-words.ts';
import {
  type DateContext,
  type DateRule,
  type Days,
  LAST_AFTER_TERM,
  LAST_TERM,
  THIS_TERM,
  toDays,
  toLatin,
} from './date-terms.ts';

// Times counted from today.

const ONE = 'a an one ein eine einem einer un une uno una um uma een jeden';
/** Numbers up to ten in words of alphabets, in Latin letters. */
export const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...ONE.split(' ').map((word): [string, number] => [word, 1]),
  ...listNumberWords().map(([word, value]): [string, number] => [toLatin(word), value]),
]);
const DIGITS = '一二三四五六七八九十';
const EAST_ASIAN_DIGIT = `[${DIGITS}两]`;
/** Patterns of numbers: by digits or words, by those of Chinese and Japanese, and by either. */
const NAMED = `\\d{1,3}|${[...NUMBERS.keys()].join('|')}`;
export const NUMBER = `(?<number>${NAMED})`;
export const EAST_ASIAN_NUMBER = `(?<number>\\d{1,3}|${EAST_ASIAN_DIGIT})`;
export const ANY_NUMBER = `(?<number>${NAMED}|${EAST_ASIAN_DIGIT})`;
export const toNumber = (text: string | undefined) =>
  text === undefined ? Number.NaN : (NUMBERS.get(text) ?? readDigit(text) ?? Number(text));

const readDigit = (text: string): number | undefined =>
  text === '两' ? 2 : DIGITS.includes(text) ? DIGITS.indexOf(text) + 1 : undefined;

const UNITS = {
  day: `days?|tage?n?|dias?|jours?|giorn[oi]|dag(?:en)?|dni|dzien|dnia|${toLatin('день|дня|днеи|дни')}`,
  week: `weeks?|wochen?|semanas?|semaines?|settiman[ae]|weken|tydzien|tygodni(?:a|e|u)?|${toLatin('недел')}[iauew]`,
  month: `months?|monate?n?|mes|meses|mois|mes[ei]|maand(?:en)?|miesiac(?:a|e|u)?|miesiecy|${toLatin('месяц')}(?:a|ev|e)?`,
  year: `years?|jahre?n?|anos?|an|ans|annees?|ann[oi]|jaar|jaren|rok(?:u)?|lat|lata|${toLatin('год|года|году|лет')}`,
} as const;
type Unit = keyof typeof UNITS;
const UNIT = `(?:${Object.entries(UNITS)
  .map(([unit, names]) => `(?<${unit}>${names})`)
  .join('|')})`;
const getUnit = (groups: Readonly<Record<string, string | undefined>>): Unit =>
  (Object.keys(UNITS) as Unit[]).find((unit) => groups[unit] !== undefined) ?? 'day';
/** Words for 'ago' behind a number of times, and before it. */
export const AGO_AFTER = `(?:ago|fa|geleden|temu|atras|${toLatin('назад')})`;
export const AGO_BEFORE = '(?:vor|hace|il y a|ha)';
/** Words before a time that belong to it: "l'année dernière", 'w zeszłym roku'. */
const LEAD = `(?:\\b(?:l['’]|la\\s+|le\\s+|el\\s+|il\\s+|lo\\s+|o\\s+|a\\s+|de\\s+|der\\s+|the\\s+|in\\s+|w\\s+|na\\s+|no\\s+|${toLatin('в')}\\s+|${toLatin('на')}\\s+))?`;

const WEEKEND = `(?:week-?ends?|wochenende|fins? de semana|fine settimana|weekend(?:u|y|em)|fim de semana|${toLatin('выходн')}(?:ye|yh)|週末|周末)`;
const DAYS: readonly (readonly [words: string, back: number])[] = [
  [
    `\\b(?:day before yesterday|vorgestern|anteayer|avant-hier|l['’]altro ieri|eergisteren|przedwczoraj|anteontem|${toLatin('позавчера')})\\b|一昨日|おととい|前天`,
    2,
  ],
  [
    `\\b(?:yesterday|gestern|ayer|d['’]hier|ieri|gisteren|wczoraj|ontem|${toLatin('вчера')})\\b|昨日|昨天|きのう`,
    1,
  ],
  [
    `\\b(?:today|heute|hoy|aujourd['’]hui|oggi|vandaag|dzisiaj|dzis|hoje|${toLatin('сегодня')})\\b|今日|今天|きょう`,
    0,
  ],
];

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
    // two years ago, dwa lata temu: all of that year
    pattern: new RegExp(`\\b${NUMBER}\\s+${UNIT}\\s+${AGO_AFTER}\\b`, 'g'),
    read: readAgo,
  },
  {
    // vor zwei Jahren, il y a deux ans
    pattern: new RegExp(`\\b${AGO_BEFORE}\\s+${NUMBER}\\s+${UNIT}\\b`, 'g'),
    read: readAgo,
  },
  {
    // the last 3 months, in den letzten zwei Wochen
    pattern: new RegExp(`\\b${LAST_TERM}\\s+${NUMBER}\\s+${UNIT}\\b`, 'g'),
    read: readSince,
  },
  {
    // les 3 derniers mois
    pattern: new RegExp(
      `\\b${NUMBER}\\s+(?:derniers?|dernieres?|ultim[oaie]s?)\\s+${UNIT}\\b`,
      'g',
    ),
    read: readSince,
  },
  {
    pattern: new RegExp(
      `\\b${LAST_TERM}\\s+${WEEKEND}|\\b${WEEKEND}\\s+${LAST_AFTER_TERM}\\b`,
      'g',
    ),
    read: (_, { now }) => {
      const saturday = now.startOf('week').plus({ days: 5 });
      // On a weekend, the one before.
      return toWeekend(saturday.minus({ weeks: 1 }));
    },
  },
  // No days of their own.
  { pattern: /\b(?:weekends|weekdays?|wochenenden|wochentage?n?)\b/g, read: () => [] },
  {
    // Saturday and Sunday, of this week if they have begun.
    pattern: new RegExp(`(?:\\b${THIS_TERM}\\s+)?(?:\\b|(?=[週周]))${WEEKEND}`, 'g'),
    read: (_, { now }) => {
      const saturday = now.startOf('week').plus({ days: 5 });
      return toWeekend(saturday <= now ? saturday : saturday.minus({ weeks: 1 }));
    },
  },
  {
    pattern: new RegExp(`${LEAD}\\b${LAST_TERM}\\s+${UNIT}\\b`, 'g'),
    read: (groups, { now }) => {
      const unit = getUnit(groups);
      return toDays(now.minus({ [unit]: 1 }), unit);
    },
  },
  {
    pattern: new RegExp(`${LEAD}\\b${UNIT}\\s+${LAST_AFTER_TERM}\\b`, 'g'),
    read: (groups, { now }) => {
      const unit = getUnit(groups);
      return toDays(now.minus({ [unit]: 1 }), unit);
    },
  },
  {
    pattern: new RegExp(`\\b${THIS_TERM}\\s*\\b${UNIT}\\b`, 'g'),
    read: (groups, { now }) => toDays(now, getUnit(groups)),
  },
  ...DAYS.map(([words, days]): DateRule => ({
    pattern: new RegExp(words, 'g'),
    read: (_, { now }) => toDays(now.minus({ days }), 'day'),
  })),
];

/** Japanese and Chinese: a unit, and how many of them back. */
const EAST_ASIAN: readonly (readonly [words: string, unit: Unit, back: number])[] = [
  ['一昨年|おととし|前年', 'year', 2],
  ['去年|昨年', 'year', 1],
  ['今年|ことし', 'year', 0],
  ['先月|上个?月', 'month', 1],
  ['今月|这个?月|本月', 'month', 0],
  ['先週|上个?(?:星期|周|礼拜)', 'week', 1],
  ['今週|这个?(?:星期|周|礼拜)|本周', 'week', 0],
];
const EAST_ASIAN_UNITS: Readonly<Record<Unit, string>> = {
  year: '年',
  month: '[かヶケ箇个個]?月',
  week: '週間?|个?(?:星期|周)',
  day: '日|天',
};
const EAST_ASIAN_UNIT = Object.entries(EAST_ASIAN_UNITS)
  .map(([unit, names]) => `(?<${unit}>${names})`)
  .join('|');

export const eastAsianRelativeRules: readonly DateRule[] = [
  ...EAST_ASIAN.map(([words, unit, back]): DateRule => ({
    // 去年8月 is a month of that year.
    pattern: new RegExp(`(?:${words})(?:[の的]?(?<of>1[0-2]|[1-9])月)?`, 'g'),
    read: ({ of }, { now }) =>
      of !== undefined && unit === 'year'
        ? toDays(now.minus({ years: back }).set({ day: 1, month: Number(of) }), 'month')
        : toDays(now.minus({ [unit]: back }), unit),
  })),
  {
    // 2年前, 三天前; '2017年前' is before that year.
    pattern: new RegExp(`(?<!\\d)${EAST_ASIAN_NUMBER}(?:${EAST_ASIAN_UNIT})(?:前|以前|之前)`, 'g'),
    read: readAgo,
  },
  {
    // ここ3ヶ月, 最近两周
    pattern: new RegExp(
      `(?:ここ|この|過去|最近|过去|近)(?:的)?${EAST_ASIAN_NUMBER}(?:${EAST_ASIAN_UNIT})`,
      'g',
    ),
    read: readSince,
  },
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

function readSince(
  groups: Readonly<Record<string, string | undefined>>,
  { now }: DateContext,
): Days {
  const from = now.minus({ [getUnit(groups)]: toNumber(groups['number']) }).startOf('day');
  return { from, to: undefined };
}

const toWeekend = (saturday: Parameters<typeof toDays>[0]): Days => ({
  from: saturday.startOf('day'),
  to: saturday.plus({ days: 1 }).endOf('day'),
});
