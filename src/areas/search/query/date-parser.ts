import * as german from 'chrono-node/de';
import * as english from 'chrono-node/en';
import { DateTime } from 'luxon';
import {
  type DateContext,
  type DateMeaning,
  type DateRule,
  type Days,
  findLatestBegun,
  isRecurring,
  type Recurring,
  toDays,
  toOccurrence,
} from './date-terms.ts';
import { dayRules } from './day-rules.ts';
import { relativeRules } from './relative-date-rules.ts';
import { yearRules } from './year-rules.ts';

export type FoundDate = {
  readonly days: DateMeaning;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
};

/** Most specific first: '24 December 2022' before 'December 2022' before '2022'. */
const RULES: readonly DateRule[] = [...relativeRules, ...dayRules, ...yearRules];

/**
 * Returns the dates in a folded text, English or German, ordered by position. 'In march' is that of any year; photos
 * are of the past, so 'last march' is the latest that has begun.
 */
export function findDates(plain: string, context: DateContext): FoundDate[] {
  const found: FoundDate[] = [];
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
  return mergeRanges(all, plain, context);
}

const BETWEEN = /\b(?:between|from|zwischen|von|vom)\s+(?:the\s+|dem\s+)?$/;
const AND = /^\s*(?:and|und|to|until|till|bis|-|–)\s+(?:the\s+|zum\s+|dem\s+)?$/;

/** Merges 'between 3 May and 7 May 2020' into one range. */
function mergeRanges(
  found: readonly FoundDate[],
  plain: string,
  context: DateContext,
): FoundDate[] {
  const all: FoundDate[] = [];
  for (const date of found) {
    const last = all.at(-1);
    const before = last && BETWEEN.exec(plain.slice(0, last.start));
    const days =
      before && AND.test(plain.slice(last?.end, date.start))
        ? toRange(last.days, date.days, context)
        : undefined;
    if (!before || !days) all.push(date);
    else all[all.length - 1] = { days, start: before.index, end: date.end };
  }
  return all;
}

/** Returns the days from one date to another, of which the second may name the year of both; undefined if it is earlier. */
function toRange(first: DateMeaning, last: DateMeaning, context: DateContext): Days | undefined {
  const end = isRecurring(last)
    ? findLatestBegun(context, (year) => toOccurrence(last, year, context.now))
    : last;
  const start = isRecurring(first) ? findBefore(first, end?.to, context) : first;
  if (!start?.from || !end?.to || start.from > end.to) return undefined;
  return { from: start.from, to: end.to };
}

const findBefore = (
  recurring: Recurring,
  end: DateTime | undefined,
  { now }: DateContext,
): Days | undefined =>
  end && findLatestBegun({ now: end }, (year) => toOccurrence(recurring, year, now));

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
