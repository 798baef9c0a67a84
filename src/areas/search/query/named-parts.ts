import { RELATION_WORDS } from '../../people/index.ts';
import { foldInPlace } from '../match/words.ts';
import { findAge, findAgeBefore, type NamedAge, toYearsOfLife } from './ages.ts';
import { findBirthday, listBirthdays } from './birthdays.ts';
import type { DateContext } from './date-terms.ts';
import { formatDays, toInstants } from './day-ranges.ts';
import { findLongestNames, TAG_BEFORE } from './find-names.ts';
import type { Context } from './interpretation.ts';
import { MAKE_HINT } from './keywords.ts';
import { type Entry, type Lexicon, locateWords } from './lexicon.ts';
import { findNegation, isLink, isOr, type Negation } from './negations.ts';
import { type Scanner, toNegated } from './scanner.ts';

// Names of the library in a query, with what stands beside them: negations, ages, birthdays.

export function takeNames(
  scanner: Scanner,
  query: string,
  lexicon: Lexicon,
  context: Context,
): void {
  const names = joinAlternatives(
    query,
    findLongestNames(scanner.words(), lexicon, context)
      .toSorted((a, b) => a.start - b.start)
      .filter(({ entry, start, end }) => matchesContext(entry, query, start, end))
      .filter((name, at, all) => !isRelationBeforeName(name, all[at + 1], query)),
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

/** 'Grandma Hilde' is one person: the name begins with the word before it (`findRelationBefore`). */
const isRelationBeforeName = (
  name: NamedPart,
  next: NamedPart | undefined,
  query: string,
): boolean =>
  next !== undefined &&
  name.entry.field === 'personIds' &&
  name.entry.value === next.entry.value &&
  /^\s+$/.test(query.slice(name.end, next.start));

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
  { entry, start, end }: NamedPart,
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
