import { NEGATIONS } from '../labels/function-words.ts';
import type { FilterBranch } from '../match/filter.schemas.ts';
import type { FilterFields } from '../match/filter-fields.schemas.ts';
import { foldInPlace, toTerm } from '../match/words.ts';
import { toFilterFields } from './chip-filter.ts';
import { findDates } from './date-parser.ts';
import { type Annual, type DateContext, isAnnual, toLatin } from './date-terms.ts';
import { formatDays, toInstants } from './day-ranges.ts';
import { findAlbums } from './find-names.ts';
import { KEYWORDS } from './keywords.ts';
import { type Lexicon, locateWords } from './lexicon.ts';
import { takeNames } from './named-parts.ts';
import { type Chip, createScanner, type Scanner, takeOrExclude } from './scanner.ts';
import { findWrittenText } from './written-text.ts';

export type Interpretation = {
  /** Text for the semantic search; null when everything became a filter. */
  readonly text: string | null;
  readonly filter: FilterFields;
  readonly chips: readonly Chip[];
};

export type Context = DateContext & {
  /** That of the page, without its region. */
  readonly language?: string | undefined;
  /** Whether words for text that a picture shows become a condition; by default they do. */
  readonly readsText?: boolean;
  /** Returns whether words name a thing. */
  readonly isTerm?: (term: string) => boolean;
};

/** Splits a query into filters and free text, by fixed rules and the owner's names. */
export function interpret(query: string, lexicon: Lexicon, context: Context): Interpretation {
  const scanner = createScanner(query, context.language);
  // Albums before all: an album may be called 'Videos'.
  for (const { start, end, label, ids } of findAlbums(query, lexicon)) {
    takeOrExclude(scanner, { field: 'albumIds', label, value: ids }, start, end);
  }
  if (context.readsText ?? true) takeWrittenText(scanner, query, lexicon);
  for (const { pattern, field, value, label } of KEYWORDS) {
    for (const match of toLatin(foldInPlace(scanner.rest())).matchAll(pattern)) {
      const groups = match.groups ?? {};
      const meaning = { field, value: value(groups), label: label(groups) };
      const end = match.index + match[0].length;
      if (EXCLUDABLE.has(field)) takeOrExclude(scanner, meaning, match.index, end);
      else scanner.take(match.index, end, meaning);
    }
  }
  // Names before dates: a person may be called April, and a tag 'Summer 2020'.
  takeNames(scanner, query, lexicon, context);
  const namesakes: FilterBranch[] = [];
  for (const { days, start, end } of findDates(foldInPlace(scanner.rest()), context)) {
    namesakes.push(...findNamesakes(lexicon, query.slice(start, end)));
    const meaning = isAnnual(days)
      ? { field: 'takenOn', ...toAnnualMeaning(days, query.slice(start, end)) }
      : { field: 'takenAt', label: formatDays(days), value: toInstants(days) };
    scanner.take(start, end, meaning);
  }
  const chips = scanner.chips().toSorted((a, b) => a.start - b.start);
  return { text: scanner.meaning(), filter: toFilterFields(chips, namesakes), chips };
}

/** Before names: a city's name on a sign is no place. */
function takeWrittenText(scanner: Scanner, query: string, { names }: Lexicon): void {
  const written = findWrittenText(scanner.rest());
  if (!written) return;
  const text = query.slice(...written.text);
  const words = locateWords(text);
  // 'Waar Mia op staat' is where Mia is on, with or without 'niet'.
  const isSomebody = words.some(({ folded }) => {
    const field = names.get(folded)?.field;
    return field === 'personIds' || field === 'petIds' || NEGATIONS.has(folded);
  });
  if (words.length === 0 || isSomebody) return;
  scanner.take(written.start, written.end, { field: 'ocr', label: `“${text}”`, value: text });
}

/** Returns the filters of the album and the tag that are called like a date: 'Christmas'. */
function findNamesakes({ albums, names }: Lexicon, source: string): FilterBranch[] {
  const term = toTerm(source);
  const [album, entry] = [albums.get(term), names.get(term)];
  return [
    ...(album ? [{ albumIds: { any: [...album.ids] } }] : []),
    ...(entry?.field === 'tagIds' ? [{ tagIds: { any: [entry.value].flat() } }] : []),
  ];
}

/** Keywords that a negation before them turns round. */
const EXCLUDABLE: ReadonlySet<string> = new Set([
  'captureTypes',
  'isEdited',
  'isFavorite',
  'isMotion',
]);

/** Days of any year are called by the first and the last, or as they were written if they move from year to year. */
function toAnnualMeaning({ names }: Annual, source: string): Pick<Chip, 'label' | 'value'> {
  const [first, ...others] = names;
  const last = others.at(-1);
  if (last === undefined && first.length <= 5) return { label: first, value: first };
  return { label: first.length > 5 ? source : `${first} – ${last}`, value: names };
}
