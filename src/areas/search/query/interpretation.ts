import type { DateTime } from 'luxon';
import { RELATION_WORDS } from '../../people/index.ts';
import { findAge, findAgeBefore, type NamedAge, toYearsOfLife } from './ages.ts';
import { findBirthday, listBirthdays } from './birthdays.ts';
import { type Instants, negate, toFilterFields } from './chip-filter.ts';
import { type Annual, type DateContext, type Days, isAnnual, toLatin } from './date-terms.ts';
import { findDates } from './date-parser.ts';
import {
  createIdleTest,
  isFunctionWord,
  isRequestWord,
  NEGATIONS,
} from '../labels/function-words.ts';
import { KEYWORDS, MAKE_HINT, IDLE_PHRASES } from './keywords.ts';
import { findAlbums, findLongestNames, TAG_BEFORE } from './find-names.ts';
import { type Entry, type Lexicon, locateWords, type Word } from './lexicon.ts';
import { findNegation, isLink, isOr, type Negation } from './negations.ts';
import type { FilterFields } from '../match/filter-fields.schemas.ts';
import type { FilterBranch } from '../match/filter.schemas.ts';
import { foldInPlace, toTerm } from '../match/words.ts';
import { findWrittenText } from './written-text.ts';

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

type Context = DateContext & {
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

/** Their marks alone tell them from words that show nothing: 'pôr do sol' is a sunset. */
const MARKED_THINGS: ReadonlySet<string> = new Set(['pôr', 'Pôr']);

/** Words beside the name of a camera. */
const CAMERA_WORDS: ReadonlySet<string> = new Set(['camera', 'kamera']);

type Scanner = ReturnType<typeof createScanner>;

function takeOrExclude(scanner: Scanner, meaning: Meaning, start: number, end: number): void {
  const negation = findNegation(scanner.rest(), start, end);
  if (negation) scanner.take(negation.start, negation.end, toNegated(meaning));
  else scanner.take(start, end, meaning);
}

const toNegated = ({ field, label, value }: Meaning): Meaning => ({
  field,
  label: `not ${label}`,
  value: negate(field, value),
});

function takeNames(scanner: Scanner, query: string, lexicon: Lexicon, context: Context): void {
  const names = joinAlternatives(
    query,
    findLongestNames(scanner.words(), lexicon, context)
      .toSorted((a, b) => a.start - b.start)
      .filter(({ entry, start, end }) => matchesContext(entry, query, start, end)),
  );
  for (const { entry, start, end, negation } of negateNames(query, names)) {
    const tag =
      entry.field === 'tagIds' ? TAG_BEFORE.exec(foldInPlace(query.slice(0, start))) : null;
    // A tag is one way to say it: items without the tag may show it as well.
    if (entry.field === 'tagIds' && !negation && !tag) continue;
    if (negation) scanner.take(negation.start, negation.end, toNegated(entry));
    else if (tag) scanner.take(tag.index, end, entry);
    else if (!takeBirthday(scanner, query, { entry, start, end }, lexicon, context)) {
      const { field, label, value } = entry;
      scanner.take(findRelationBefore(query, entry, start), end, { field, label, value });
      takeAge(scanner, query, { entry, start, end }, lexicon, context);
    }
  }
}

/** "Ann or Bob" is one name, which means either. */
function joinAlternatives(query: string, names: readonly NamedPart[]): NamedPart[] {
  const joined: NamedPart[] = [];
  for (const name of names) {
    const last = joined.at(-1);
    const isOther =
      last?.entry.field === 'personIds' &&
      name.entry.field === 'personIds' &&
      isOr(query.slice(last.end, name.start));
    if (!last || !isOther) {
      joined.push(name);
      continue;
    }
    const value = [...new Set([last.entry.value, name.entry.value].flat())];
    const label = value.length > 1 ? `${last.entry.label}, ${name.entry.label}` : name.entry.label;
    const entry = { ...last.entry, label, value };
    joined[joined.length - 1] = { entry, start: last.start, end: name.end };
  }
  return joined;
}

const RELATED: ReadonlySet<string> = new Set(
  RELATION_WORDS.flatMap(([word, relations]) => (relations.includes('self') ? [] : word)),
);

/** Returns where a name begins with the word for a relative before it: 'nonna Hilde' is called 'Oma Hilde'. */
function findRelationBefore(query: string, { field }: Entry, start: number): number {
  const before = locateWords(query.slice(0, start)).at(-1);
  const isRelation = field === 'personIds' && before !== undefined && RELATED.has(before.folded);
  return isRelation && /^\s+$/.test(query.slice(before.end, start)) ? before.start : start;
}

const PLACES: ReadonlySet<string> = new Set(['city', 'state', 'country']);
/** 'Without Mia en France': 'en' lists people in Dutch. */
const areOfOneKind = (one: Entry | undefined, other: Entry): boolean =>
  one !== undefined && PLACES.has(one.field) === PLACES.has(other.field);

type NamedPart = { readonly entry: Entry; readonly start: number; readonly end: number };

/** Adds the negations of names, in order: "without Ann and Bob", "Ann and Bob are not there" negate both. */
function negateNames(query: string, names: readonly NamedPart[]) {
  const all: (NamedPart & { negation?: Pick<Negation, 'start' | 'end'> | undefined })[] = [];
  for (const { entry, start, end } of names) {
    const last = all.at(-1);
    const between = last && query.slice(last.negation?.end ?? last.end, start);
    const own = findNegation(query, start, end, PLACES.has(entry.field));
    const isListed = between !== undefined && isLink(between) && areOfOneKind(last?.entry, entry);
    const negation = own ?? (isListed && last?.negation ? { start, end } : undefined);
    // Those before it, back to where the list begins.
    if (own?.isBehind && isListed && isLink(between, true))
      for (const [at, one] of [...all.entries()].toReversed()) {
        const next = all[at + 1];
        if (one.negation || !areOfOneKind(one.entry, entry)) break;
        if (next && !isLink(query.slice(one.end, next.start))) break;
        one.negation = { start: one.start, end: one.end };
      }
    all.push({ entry, start, end, negation });
  }
  return all;
}

/** Takes the age of one person whose birth date is known, as a time: 'Mia when she was three'. */
function takeAge(
  scanner: Scanner,
  query: string,
  { entry, start: nameStart, end }: NamedPart,
  { birthDates }: Lexicon,
  context: DateContext,
): void {
  const [id, ...others] = entry.field === 'personIds' ? [entry.value].flat() : [];
  const birthDate = id === undefined || others.length > 0 ? undefined : birthDates.get(id);
  if (birthDate === undefined) return;
  const take = (from: number, to: number, age: Pick<NamedAge, 'age' | 'years'>) => {
    const days = toYearsOfLife(birthDate, age, context);
    const meaning = { field: 'takenAt', label: formatDays(days), value: toInstants(days) };
    scanner.take(from, to, meaning);
  };
  const before = findAgeBefore(query, nameStart);
  if (before) return take(before.start, nameStart, before);
  const named = findAge(query, end);
  if (!named || !Number.isFinite(named.age)) return;
  const start = end + (query.slice(end).length - query.slice(end).replace(/^[\s,]+/, '').length);
  take(start, named.end, named);
}

/** Takes a name with its birthday, if the query says so and the birth date is known. */
function takeBirthday(
  scanner: Scanner,
  query: string,
  { entry, start, end }: { readonly entry: Entry; readonly start: number; readonly end: number },
  { birthDates }: Lexicon,
  { now }: DateContext,
): boolean {
  if (entry.field !== 'personIds') return false;
  const named = findBirthday(query, start, end);
  const known = [entry.value].flat().flatMap((id) => birthDates.get(id) ?? []);
  const days = named ? listBirthdays(known, named.age, now) : [];
  // Without any day the filter would exclude nothing.
  if (!named || days.length === 0) return false;
  const value = days.map(toInstants);
  scanner.take(named.start, named.end, { field: 'birthday', label: entry.label, value });
  return true;
}

type Meaning = Pick<Chip, 'field' | 'label' | 'value'>;

/** Consumes parts of the query; no part is consumed twice. */
function createScanner(query: string, language: string | undefined) {
  let rest = query;
  const chips: Chip[] = [];
  const take = (start: number, end: number, meaning: Meaning) => {
    chips.push({ ...meaning, source: query.slice(start, end), start, end });
    rest = rest.slice(0, start) + '\0'.repeat(end - start) + rest.slice(end);
  };
  return {
    take,
    words: () => locateWords(rest),
    rest: () => rest,
    chips: () => chips,
    /** Returns the unconsumed text without stop words at its ends; null when nothing is left. */
    meaning(): string | null {
      const isCamera = chips.some(({ field }) => field === 'make' || field === 'model');
      const isIdleWord = createIdleTest(
        locateWords(query).map(({ folded }) => folded),
        language,
      );
      const isIdle = ({ folded }: Word) =>
        isIdleWord(folded) || (isCamera && CAMERA_WORDS.has(folded));
      let asked = rest;
      for (const { 0: phrase, index } of foldInPlace(rest).matchAll(IDLE_PHRASES))
        asked =
          asked.slice(0, index) + '\0'.repeat(phrase.length) + asked.slice(index + phrase.length);
      const pieces = asked.split(/\0+/).flatMap((piece, at, { length }) => {
        const words = locateWords(piece);
        // Before a chip a preposition is one, whatever it means in another language: 'foto van Rosa'.
        while (at < length - 1 && isFunctionWord(words.at(-1)?.folded ?? '')) words.pop();
        const telling = words.filter(
          (word) => !isIdle(word) || MARKED_THINGS.has(piece.slice(word.start, word.end)),
        );
        const [first, last] = [telling.at(0), telling.at(-1)];
        if (first && last) return [piece.slice(first.start, last.end)];
        return piece.match(/\p{Extended_Pictographic}\S*/gu) ?? [];
      });
      if (pieces.length > 0) return pieces.join(' ');
      // Emoji, punctuation and words that mean something in another language are a query of their own, not a request
      // for everything: 'mes' is a knife in Dutch.
      const isQuery =
        chips.length === 0 &&
        asked === rest &&
        !locateWords(query).some(({ folded }) => isRequestWord(folded));
      return (isQuery && query.trim()) || null;
    },
  };
}

/** Returns whether the words around a name are those that its entry needs: 'with my Apple' is a camera, 'an apple' is not. */
function matchesContext(
  { field, hint }: Entry,
  query: string,
  start: number,
  end: number,
): boolean {
  const before = foldInPlace(query.slice(0, start));
  if (hint) return hint.test(before);
  if (field !== 'make') return true;
  const after = foldInPlace(query.slice(end));
  return MAKE_HINT.before.test(before) || MAKE_HINT.after.test(after);
}

const toInstants = ({ from, to }: Days): Instants => ({
  ...(from && { takenAfter: instant(from) }),
  ...(to && { takenBefore: instant(to) }),
});
const instant = (at: DateTime) => at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");

/** Days of any year are called by the first and the last, or as they were written if they move from year to year. */
function toAnnualMeaning({ names }: Annual, source: string): Pick<Chip, 'label' | 'value'> {
  const [first, ...others] = names;
  const last = others.at(-1);
  if (last === undefined && first.length <= 5) return { label: first, value: first };
  return { label: first.length > 5 ? source : `${first} – ${last}`, value: names };
}

/** Formats days as briefly as possible: 2024, 2024-03, 2024-03-05, else both ends. */
function formatDays({ from, to }: Days): string {
  const day = (at: DateTime) => at.toFormat('yyyy-MM-dd');
  if (!from) return to ? `– ${day(to)}` : '';
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
