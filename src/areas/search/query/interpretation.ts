import { DateTime } from 'luxon';
import type { DateContext, Days } from './date-terms.ts';
import { findDates } from './date-parser.ts';
import { KEYWORDS, isStopWord, MAKE_HINT } from './keywords.ts';
import { type Lexicon, findLongestNames, type Word, locateWords } from './lexicon.ts';
import type { FilterFields } from '../schemas.ts';
import { foldInPlace } from '../match/words.ts';

/** A part of the query and the filter it became. */
export type Chip = {
  /** Member of the filter. */
  readonly field: string;
  readonly label: string;
  readonly value: unknown;
  /** Source words; `start` and `end` are their offsets in the query. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
};

export type Interpretation = {
  /** Text for the semantic search; null when everything became a filter. */
  readonly text: string | null;
  readonly filter: FilterFields;
  readonly chips: readonly Chip[];
};

/** Splits a query into filters and free text, by fixed rules and the owner's names. */
export function interpret(query: string, lexicon: Lexicon, context: DateContext): Interpretation {
  const reader = createScanner(query);
  for (const { pattern, field, value, label } of KEYWORDS) {
    reader.takeAll(pattern, (groups) => ({ field, value: value(groups), label: label(groups) }));
  }
  // Names before dates: a person may be called April, and a tag 'Summer 2020'.
  const names = findLongestNames(reader.words(), lexicon).map(({ words, entry }) => ({
    entry,
    start: words[0]!.start,
    end: words.at(-1)!.end,
    isMeant: entry.field !== 'make' || isCameraMake(query, words),
  }));
  let negatedUntil: number | undefined;
  for (const { entry, start, end, isMeant } of names.toSorted((a, b) => a.start - b.start)) {
    if (!isMeant) continue;
    const { field, label, value } = entry;
    const before = foldInPlace(query.slice(negatedUntil ?? 0, start));
    const negationStart =
      negatedUntil !== undefined && CONJUNCTION.test(before) ? start : findNegation(query, start);
    negatedUntil = negationStart === undefined ? undefined : end;
    // A tag is one way to say it: items without the tag may show it as well.
    if (field === 'tagIds' && negationStart === undefined) continue;
    if (negationStart === undefined) reader.take(start, end, { field, label, value });
    else {
      const list = typeof value === 'string' ? [value] : value;
      const none = LIST_FIELDS.has(field) ? { none: list } : { notIn: list };
      reader.take(negationStart, end, { field, label: `not ${label}`, value: none });
    }
  }
  for (const { days, start, end } of findDates(foldInPlace(reader.rest()), context)) {
    reader.take(start, end, { field: 'takenAt', label: formatDays(days), value: toInstants(days) });
  }
  const chips = reader.chips().toSorted((a, b) => a.start - b.start);
  return { text: reader.meaning(), filter: toFilterFields(chips), chips };
}

const NEGATION =
  /\b(?:not|without|except|excluding|no|ohne|nicht|ausser|kein(?:e[nmrs]?)?)\s+(?:(?:in|at|from|of|with|by|the|a|an|any|my|mit|aus|von|bei|der|die|das|den|dem|mein(?:e[nmrs]?)?)\s+){0,2}$/;
const CONJUNCTION = /^\s*(?:,|&|and|or|und|oder|,\s*(?:and|or|und|oder))\s*$/;
/** Returns the offset of a negation ('without …') directly before `start`. */
const findNegation = (query: string, start: number): number | undefined =>
  NEGATION.exec(foldInPlace(query.slice(0, start)))?.index;

/** Fields with several values per item. */
const LIST_FIELDS: ReadonlySet<string> = new Set(['personIds', 'petIds', 'tagIds']);
type Exclusion = { readonly none: readonly string[] } | { readonly notIn: readonly string[] };
const isExclusion = (value: unknown): value is Exclusion =>
  typeof value === 'object' && value !== null && ('none' in value || 'notIn' in value);

type Meaning = Pick<Chip, 'field' | 'label' | 'value'>;

/** Consumes parts of the query; no part is consumed twice. */
function createScanner(query: string) {
  let rest = query;
  const chips: Chip[] = [];
  const take = (start: number, end: number, meaning: Meaning) => {
    chips.push({ ...meaning, source: query.slice(start, end), start, end });
    rest = rest.slice(0, start) + '\0'.repeat(end - start) + rest.slice(end);
  };
  return {
    take,
    takeAll(pattern: RegExp, read: (groups: Readonly<Record<string, string>>) => Meaning) {
      for (const match of foldInPlace(rest).matchAll(pattern)) {
        take(match.index, match.index + match[0].length, read(match.groups ?? {}));
      }
    },
    words: () => locateWords(rest),
    rest: () => rest,
    chips: () => chips,
    /** Returns the unconsumed text without stop words at its ends; null when nothing is left. */
    meaning(): string | null {
      const pieces = rest.split(/\0+/).flatMap((piece) => {
        const words = locateWords(piece);
        while (words.length > 0 && isStopWord(words[0]!.folded)) words.shift();
        while (words.length > 0 && isStopWord(words.at(-1)!.folded)) words.pop();
        if (words.length > 0) return [piece.slice(words[0]!.start, words.at(-1)!.end)];
        return piece.match(/\p{Extended_Pictographic}\S*/gu) ?? [];
      });
      if (pieces.length > 0) return pieces.join(' ');
      // Emoji and punctuation are a query of their own, not a request for everything.
      const isSigns = chips.length === 0 && locateWords(query).length === 0;
      return (isSigns && query.trim()) || null;
    },
  };
}

/** Returns whether the context marks a maker: 'with my Apple' is a camera, 'an apple' is not. */
function isCameraMake(query: string, words: readonly Word[]): boolean {
  const before = foldInPlace(query.slice(0, words[0]!.start));
  const after = foldInPlace(query.slice(words.at(-1)!.end));
  return MAKE_HINT.before.test(before) || MAKE_HINT.after.test(after);
}

/** Local times without an offset. */
type Instants = { readonly takenAfter?: string; readonly takenBefore?: string };

const toInstants = ({ from, to }: Days): Instants => ({
  ...(from && { takenAfter: instant(from) }),
  ...(to && { takenBefore: instant(to) }),
});
const instant = (at: DateTime) => at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");

/** Formats days as briefly as possible: 2024, 2024-03, 2024-03-05, else both ends. */
function formatDays({ from, to }: Days): string {
  const day = (at: DateTime) => at.toFormat('yyyy-MM-dd');
  if (!from) return `– ${day(to!)}`;
  if (!to) return `${day(from)} –`;
  for (const [unit, format] of [
    ['year', 'yyyy'],
    ['month', 'yyyy-MM'],
    ['day', 'yyyy-MM-dd'],
  ] as const) {
    const isWhole = +from === +from.startOf(unit) && +to === +from.endOf(unit);
    if (isWhole) return from.toFormat(format);
  }
  const isYears = day(from).endsWith('-01-01') && day(to).endsWith('-12-31');
  return isYears ? `${from.year} – ${to.year}` : `${day(from)} – ${day(to)}`;
}

/**
 * Combines chips into a filter: several values of a field are alternatives, several people or tags
 * must all match.
 */
function toFilterFields(chips: readonly Chip[]): FilterFields {
  const values = Map.groupBy(
    chips.filter(({ value }) => !isExclusion(value)),
    ({ field }) => field,
  );
  const fields: Record<string, unknown> = {};
  const filter: Record<string, unknown> = {};
  for (const [field, list] of values) {
    const given = [...new Set(list.flatMap(({ value }) => value))];
    if (field === 'takenAt') {
      const times = (given as Instants[]).map(({ takenAfter, takenBefore }) => ({
        takenAt: {
          ...(takenAfter && { gte: takenAfter }),
          ...(takenBefore && { lte: takenBefore }),
        },
      }));
      if (times.length === 1) Object.assign(filter, times[0]);
      else filter['or'] = times;
    } else if (field === 'personIds') {
      // A first name shared by several people matches any of them.
      const isSure = list.every(({ value }) => !Array.isArray(value) || value.length === 1);
      if (isSure) fields[field] = given;
      else filter[field] = { any: given };
    } else if (field === 'petIds') {
      const isSure = list.every(({ value }) => !Array.isArray(value));
      filter[field] = isSure ? { all: given } : { any: given };
    } else if (field === 'tagIds') fields[field] = given;
    else if (given.length === 1) fields[field] = given[0];
    else filter[field] = { in: given };
  }
  for (const { field, value } of chips) {
    if (!isExclusion(value)) continue;
    const known = filter[field] as Record<string, readonly string[]> | undefined;
    const [[name, list]] = Object.entries(value) as [[string, readonly string[]]];
    filter[field] = { ...known, [name]: [...(known?.[name] ?? []), ...list] };
  }
  if (Object.keys(filter).length > 0) fields['filter'] = filter;
  return fields as FilterFields;
}
