import { DateTime } from 'luxon';
import {
  type DateContext,
  type DateRule,
  type Days,
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
      `\\b(?:(?:from|von)\\s+)?${YEAR('first')}\\s*(?:-|–|to|until|till|bis)\\s*${YEAR('last')}\\b`,
      'g',
    ),
    read: readYearRange,
  },
  {
    pattern: new RegExp(
      `\\b(?:between|zwischen)\\s+${YEAR('first')}\\s+(?:and|und)\\s+${YEAR('last')}\\b`,
      'g',
    ),
    read: readYearRange,
  },
  {
    // since 2019, seit 2019
    pattern: new RegExp(`\\b(?:since|seit|ab)\\s+${YEAR('year')}\\b`, 'g'),
    read: ({ year }, context) => {
      const whole = toWholeYear(Number(year), context);
      return whole && { from: whole.from, to: undefined };
    },
  },
  {
    pattern: new RegExp(`\\b(?:after|nach)\\s+${YEAR('year')}\\b`, 'g'),
    read: ({ year }, context) => {
      const next = toWholeYear(Number(year) + 1, context);
      return next && { from: next.from, to: undefined };
    },
  },
  {
    pattern: new RegExp(`\\b(?:before|until|vor|bis)\\s+${YEAR('year')}\\b`, 'g'),
    read: ({ year }, context) => {
      const before = toWholeYear(Number(year) - 1, context);
      return before && { from: undefined, to: before.to };
    },
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
