import { DateTime } from 'luxon';
import {
  type DateContext,
  type DateRule,
  type Days,
  AND_TERM,
  BETWEEN_TERM,
  FROM_TERM,
  TO_TERM,
  toLatin,
  toWholeYear,
  toZoneOptions,
} from './date-terms.ts';

const YEAR = (name: string) => `(?<${name}>(?:18|19|20)\\d\\d)`;

/** Reads '1990' and '90'; two digits up to 20 mean this century. */
function readDecade(text: string | undefined, { now }: DateContext): Days | undefined {
  const digits = Number(text);
  const first = digits >= 100 ? digits : digits + (digits <= 20 ? 2000 : 1900);
  if (first % 10 !== 0 || first > now.year) return undefined;
  const from = DateTime.fromObject({ year: first }, toZoneOptions(now));
  return { from, to: from.plus({ years: 9 }).endOf('year') };
}

const NAMED_DECADES: readonly (readonly [string, string])[] = [
  ['fifties|funfziger', '1950'],
  ['sixties|sechziger', '1960'],
  ['seventies|siebziger', '1970'],
  ['eighties|achtziger', '1980'],
  ['nineties|neunziger', '1990'],
];

export const yearRules: readonly DateRule[] = [
  {
    // 2019 to 2021, between 2019 and 2021
    pattern: new RegExp(
      `(?:\\b${FROM_TERM}\\s+|从)?\\b${YEAR('first')}年?\\s*(?:-|–|から|到|至|\\b${TO_TERM}\\b)\\s*${YEAR('last')}(?:年|\\b)`,
      'g',
    ),
    read: readYearRange,
  },
  {
    pattern: new RegExp(
      `\\b${BETWEEN_TERM}\\s+${YEAR('first')}\\s+(?:a|${AND_TERM})\\s+${YEAR('last')}\\b`,
      'g',
    ),
    read: readYearRange,
  },
  ...NAMED_DECADES.map(([names, first]): DateRule => ({
    pattern: new RegExp(`\\b(?:${names})(?:n|s)?(?:\\s+jahren?)?\\b`, 'g'),
    read: (_, context) => readDecade(first, context),
  })),
  {
    // the 90s, 1990's, '90s, 90er Jahre
    pattern: /(?:\b|')(?<decade>(?:(?:18|19|20)\d|\d)0)(?:'?s|er[n]?)\b(?:\s+jahren?\b)?/g,
    read: ({ decade: text }, context) => readDecade(text, context),
  },
  {
    // les années 90, anos 90, lata 90., 90-е, 90年代
    pattern: new RegExp(
      `\\b(?:annees?|anos|anni|lata(?:ch)?|jaren)\\s+['’]?(?<decade>(?:(?:18|19|20)\\d|\\d)0)\\b\\.?|(?<eastern>(?:(?:18|19|20)\\d|\\d)0)(?:年代|-?${toLatin('е')}\\b)`,
      'g',
    ),
    read: ({ decade, eastern }, context) => readDecade(decade ?? eastern, context),
  },
  {
    pattern: new RegExp(`(?<![\\d.,:/-])\\b${YEAR('year')}\\b(?![\\d:/]|[-.,]\\d|x\\d)`, 'g'),
    read: ({ year }, context) => toWholeYear(Number(year), context),
  },
];

function readYearRange(
  { first, last }: Readonly<Record<string, string | undefined>>,
  context: DateContext,
): Days | undefined {
  if (Number(first) > Number(last)) return undefined;
  const [from, to] = [toWholeYear(Number(first), context), toWholeYear(Number(last), context)];
  return from && to ? { from: from.from, to: to.to } : undefined;
}
