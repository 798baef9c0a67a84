import { DateTime } from 'luxon';
import type { DateContext, Days } from './date-terms.ts';
import { findDates } from './dates.ts';
import { KEYWORDS, isFiller, MAKE_HINT } from './keywords.ts';
import { type Lexicon, longestNames, type Word, wordsIn } from './lexicon.ts';
import type { FilterFields } from './schemas.ts';
import { plain } from './words.ts';

/** A part of the text and what it was taken for. */
export type Chip = {
  /** The member of the filter that it became. */
  readonly field: string;
  readonly label: string;
  readonly value: unknown;
  /** The words it came from, and where they stand. */
  readonly source: string;
  readonly start: number;
  readonly end: number;
};

export type Interpretation = {
  /** What is searched by meaning; null: everything became a filter. */
  readonly text: string | null;
  readonly filter: FilterFields;
  readonly chips: readonly Chip[];
};

/** What the words of a question mean, without asking anybody: by the names that the owner uses. */
export function interpret(query: string, lexicon: Lexicon, context: DateContext): Interpretation {
  const reader = createReader(query);
  for (const { pattern, field, value, label } of KEYWORDS) {
    reader.takeAll(pattern, (groups) => ({ field, value: value(groups), label: label(groups) }));
  }
  // Names first: a person may be called April, and a tag 'Summer 2020'.
  for (const { words, entry } of longestNames(reader.words(), lexicon)) {
    if (entry.field === 'make' && !isMeantAsMake(query, words)) continue;
    const [first, last] = [words[0]!, words.at(-1)!];
    const { field, label, value } = entry;
    reader.take(first.start, last.end, { field, label, value });
  }
  for (const { days, start, end } of findDates(plain(reader.rest()), context)) {
    reader.take(start, end, { field: 'takenAt', label: labelOf(days), value: instantsOf(days) });
  }
  const chips = reader.chips().toSorted((a, b) => a.start - b.start);
  return { text: reader.meaning(), filter: filterOf(chips), chips };
}

type Meaning = Pick<Chip, 'field' | 'label' | 'value'>;

/** Takes parts of the text, each once. */
function createReader(query: string) {
  let rest = query;
  const chips: Chip[] = [];
  const take = (start: number, end: number, meaning: Meaning) => {
    chips.push({ ...meaning, source: query.slice(start, end), start, end });
    rest = rest.slice(0, start) + '\0'.repeat(end - start) + rest.slice(end);
  };
  return {
    take,
    takeAll(pattern: RegExp, read: (groups: Readonly<Record<string, string>>) => Meaning) {
      for (const match of plain(rest).matchAll(pattern)) {
        take(match.index, match.index + match[0].length, read(match.groups ?? {}));
      }
    },
    words: () => wordsIn(rest),
    rest: () => rest,
    chips: () => chips,
    /** What nobody took, without the words that only held it together. */
    meaning(): string | null {
      const pieces = rest.split(/\0+/).flatMap((piece) => {
        const words = wordsIn(piece);
        while (words.length > 0 && isFiller(words[0]!.folded)) words.shift();
        while (words.length > 0 && isFiller(words.at(-1)!.folded)) words.pop();
        return words.length > 0 ? [piece.slice(words[0]!.start, words.at(-1)!.end)] : [];
      });
      return pieces.length > 0 ? pieces.join(' ') : null;
    },
  };
}

/** 'with my Apple' is a camera, 'an apple' is not. */
function isMeantAsMake(query: string, words: readonly Word[]): boolean {
  const before = plain(query.slice(0, words[0]!.start));
  const after = plain(query.slice(words.at(-1)!.end));
  return MAKE_HINT.before.test(before) || MAKE_HINT.after.test(after);
}

/** Of the clock where a picture was taken: without an offset. */
type Instants = { readonly takenAfter?: string; readonly takenBefore?: string };

const instantsOf = ({ from, to }: Days): Instants => ({
  ...(from && { takenAfter: instant(from) }),
  ...(to && { takenBefore: instant(to) }),
});
const instant = (at: DateTime) => at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");

/** The shortest way to write the days: 2024, 2024-03, 2024-03-05, else both ends. */
function labelOf({ from, to }: Days): string {
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

/** One value of a field is written as such; of several any will do, of people and tags all. */
function filterOf(chips: readonly Chip[]): FilterFields {
  const values = Map.groupBy(chips, ({ field }) => field);
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
      // A first name that several have stands for any of them.
      const isSure = list.every(({ value }) => !Array.isArray(value) || value.length === 1);
      if (isSure) fields[field] = given;
      else filter[field] = { any: given };
    } else if (field === 'tagIds') fields[field] = given;
    else if (given.length === 1) fields[field] = given[0];
    else filter[field] = { in: given };
  }
  if (Object.keys(filter).length > 0) fields['filter'] = filter;
  return fields as FilterFields;
}
