import * as german from 'chrono-node/de';
import * as english from 'chrono-node/en';
import { DateTime } from 'luxon';
import {
  AND_TERM,
  type Annual,
  BETWEEN_TERM,
  type DateContext,
  type DateMeaning,
  type DateRule,
  type Days,
  findLatestBegun,
  FROM_TERM,
  isAnnual,
  TO_TERM,
  toAnnualRange,
  toDays,
  toLatin,
  toOccurrence,
} from './date-terms.ts';
import { dayRules } from './day-rules.ts';
import { holidayRules } from './holidays.ts';
import { eastAsianRelativeRules, relativeRules } from './relative-date-rules.ts';
import { seasonRules } from './seasons.ts';
import { expandYears } from './short-years.ts';
import { yearRules } from './year-rules.ts';

export type FoundDate = {
  readonly days: DateMeaning;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
};

/** Most specific first: '24 December 2022' before 'December 2022' before '2022'. */
const RULES: readonly DateRule[] = [
  ...seasonRules,
  ...relativeRules,
  ...holidayRules,
  ...eastAsianRelativeRules,
  ...dayRules,
  ...yearRules,
];

/**
 * Returns the dates in a folded text, ordered by position: holidays, days and months in the page's languages, the rest
 * in English or German. 'In march' is that of any year; photos are of the past, so 'last march' is the latest that has
 * begun.
 */
export function findDates(folded: string, context: DateContext): FoundDate[] {
  const found: FoundDate[] = [];
  const { text: plain, toSource } = expandYears(toLatin(folded), context);
  let rest = plain;
  for (const { pattern, read } of RULES) {
    for (const match of rest.matchAll(pattern)) {
      const days = read(match.groups ?? {}, context);
      if (!days) continue;
      const end = match.index + match[0].length;
      const all = Array.isArray(days) ? (days as readonly Days[]) : [days as DateMeaning];
      for (const one of all) found.push({ days: one, start: match.index, end });
      rest = rest.slice(0, match.index) + '\0'.repeat(match[0].length) + rest.slice(end);
    }
  }
  const all = [...found, ...parseWithChrono(rest, context)].sort((a, b) => a.start - b.start);
  return mergeRanges(all, plain, context)
    .map((date) => openRange(date, plain, context))
    .map(({ days, start, end }) => ({ days, start: toSource(start), end: toSource(end) }));
}

const ARTICLES = "(?:(?:the|dem|der|den|l['’]|la|le|el|il|o|a)\\s*)?";
/** Words before a time. */
const OPEN = (
  [
    [
      'since',
      `since|seit|ab|depuis|desde|a partir d[eu]|sinds|vanaf|od|dal(?:l['’])?|${toLatin('с')}|${toLatin('начиная с')}`,
    ],
    [
      'before',
      `before|vor|avant|antes d(?:e|o|a)|prima d(?:i|el|ell['’])|voor|s?przed|${toLatin('до')}`,
    ],
    ['until', `until|till|bis|jusqu['’](?:a|au|en)|hasta|fino a|tot|ate (?:a|ao|o)`],
    ['after', `after|nach|apres|despues de|dopo|depois d(?:e|o|a)|po|${toLatin('после')}`],
    // Dutch; 'na páscoa' is at Easter.
    ['after', 'na', true],
  ] as const
).map(([kind, words, daysOnly = false]) => ({
  kind,
  daysOnly,
  before: new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})\\s*${ARTICLES}$`, 'u'),
}));
const OPEN_BEHIND = [
  { kind: 'since', behind: /^年?(?:以降|以来)/ },
  { kind: 'before', behind: /^年?(?:以前|之前|より前|前)/ },
  { kind: 'after', behind: /^年?(?:之后|以后)/ },
] as const;

/** Reads 'since January', 'before Christmas 2022': a time without an end, or without a beginning. */
function openRange(date: FoundDate, plain: string, context: DateContext): FoundDate {
  const isDay = /\d/.test(plain[date.start] ?? '');
  const ahead = OPEN.find(
    ({ before, daysOnly }) => (isDay || !daysOnly) && before.test(plain.slice(0, date.start)),
  );
  const rest = plain.slice(date.end);
  const after = ahead ? undefined : OPEN_BEHIND.find(({ behind }) => behind.test(rest));
  const kind = ahead?.kind ?? after?.kind;
  if (kind === undefined) return date;
  const { days } = date;
  const whole = isAnnual(days)
    ? findLatestBegun(context, (year) => toOccurrence(days, year, context.now))
    : days;
  if (!whole?.from || !whole.to) return date;
  const start = ahead?.before.exec(plain.slice(0, date.start))?.index ?? date.start;
  const end = date.end + (after?.behind.exec(rest)?.[0].length ?? 0);
  const { from, to } = whole;
  if (kind === 'since') return { start, end, days: { from, to: undefined } };
  if (kind === 'after') return { start, end, days: { from: to.plus(1), to: undefined } };
  if (kind === 'until') return { start, end, days: { from: undefined, to } };
  return { start, end, days: { from: undefined, to: from.minus(1) } };
}

const ARTICLE = '(?:(?:the|dem|zum)\\s+)?';
const BETWEEN = new RegExp(`\\b${BETWEEN_TERM}\\s+${ARTICLE}$`);
const FROM = new RegExp(`(?:\\b${FROM_TERM}\\s*${ARTICLE}|[从在]\\s?)$`);
const AND = new RegExp(`^\\s*${AND_TERM}\\s+${ARTICLE}$`);
const TO = new RegExp(`^(?:\\s*${TO_TERM}\\s+${ARTICLE}|\\s*(?:から|到|至|[-–~〜～])\\s*)$`);
const UNTIL = /^まて/;

/** Merges 'between 3 May and 7 May 2020' into one range. */
function mergeRanges(
  found: readonly FoundDate[],
  plain: string,
  context: DateContext,
): FoundDate[] {
  const all: FoundDate[] = [];
  for (const date of found) {
    const last = all.at(-1);
    const start = last && findRangeStart(plain, last, date);
    const days = start === undefined || !last ? undefined : toRange(last.days, date.days, context);
    const end = date.end + (UNTIL.exec(plain.slice(date.end))?.[0].length ?? 0);
    if (start === undefined || !days) all.push(date);
    else all[all.length - 1] = { days, start, end };
  }
  return all;
}

/** Returns the offset where the words of a range from one date to the next begin; undefined if they say none. */
function findRangeStart(plain: string, first: FoundDate, last: FoundDate): number | undefined {
  const link = plain.slice(first.end, last.start);
  const before = plain.slice(0, first.start);
  const between = BETWEEN.exec(before);
  if (between) return AND.test(link) || TO.test(link) ? between.index : undefined;
  return TO.test(link) ? (FROM.exec(before)?.index ?? first.start) : undefined;
}

/** Returns the days from one date to another, of which one may name the year of both; of any year if none does. */
function toRange(
  first: DateMeaning,
  last: DateMeaning,
  context: DateContext,
): DateMeaning | undefined {
  if (isAnnual(first) && isAnnual(last)) return toAnnualRange(first, last);
  const start = isAnnual(first) ? findBefore(first, last as Days, context) : first;
  const end = isAnnual(last) ? findAfter(last, first as Days, context) : last;
  if (!start?.from || !end?.to || start.from > end.to) return undefined;
  return { from: start.from, to: end.to };
}

const findBefore = (annual: Annual, { to }: Days, { now }: DateContext): Days | undefined =>
  to && findLatestBegun({ now: to }, (year) => toOccurrence(annual, year, now));

function findAfter(annual: Annual, { from }: Days, { now }: DateContext): Days | undefined {
  if (!from) return undefined;
  const both = [from.year, from.year + 1].map((year) => toOccurrence(annual, year, now));
  return both.find((days) => days && days.from >= from);
}

/**
 * Short weekdays that stand alone are words of other languages more often: sun, German 'do', which is in the Portuguese
 * 'pôr do sol', 'di' in the Italian 'bicchiere di vino'.
 */
const ABBREVIATION = /^\p{L}{1,4}$/u;

/**
 * Dates that only chrono-node knows: 'last monday', '12/24/2022'. Tried last, because it misreads
 * seasons and years.
 */
function parseWithChrono(rest: string, { now }: DateContext): FoundDate[] {
  const text = rest.replaceAll('\0', ' ');
  const reference = { instant: now.toJSDate(), timezone: now.offset };
  for (const { casual } of [english, german]) {
    const found = casual.parse(text, reference).flatMap(({ start, index, text: source }) => {
      if (ABBREVIATION.test(source)) return [];
      const isDay = start.isCertain('day') || start.isCertain('weekday');
      const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')];
      if (!isDay || !year || !month || !day) return [];
      let at = DateTime.fromObject({ year, month, day }, { zone: now.zone });
      if (at > now) at = at.minus(start.isCertain('weekday') ? { weeks: 1 } : { years: 1 });
      const isPast = at.isValid && at <= now;
      return isPast ? [{ days: toDays(at, 'day'), start: index, end: index + source.length }] : [];
    });
    if (found.length > 0) return found;
  }
  return [];
}
