import type { Person } from '../../people/index.ts';
import { locateWords } from '../query/lexicon.ts';
import { foldInPlace, toTerm } from '../match/words.ts';

/** By their rank: of equal matches, people come first. */
export const COMPLETION_KINDS = [
  'person',
  'pet',
  'album',
  'place',
  'tag',
  'label',
  'camera',
  'date',
] as const;
export type CompletionKind = (typeof COMPLETION_KINDS)[number];

/** A name of the library that a query may end with. */
export type Candidate = {
  readonly kind: CompletionKind;
  readonly label: string;
  /** Where it has a page of its own: a person, a pet, an album or a tag. */
  readonly id?: string;
  /** Where it is a person. */
  readonly person?: Person;
  /** Items, as far as known: the larger, the sooner. */
  readonly count: number;
};
export type Completion = Omit<Candidate, 'count'> & {
  /** The query with the name in the place of what was typed of it. */
  readonly text: string;
};

/** Longest part of a query, in words, that is taken for the beginning of a name. */
const MAX_TYPED_WORDS = 4;
const MAX_PER_KIND = 4;

export type Typed = { readonly term: string; readonly start: number };

/** Returns the ends of a query that a name may begin with, longest first, folded. */
export function listTyped(query: string): Typed[] {
  const words = locateWords(query);
  const isOpen = /\s$/.test(query) ? ' ' : '';
  return words
    .map(({ start }) => ({ start, term: toTerm(query.slice(start)) + isOpen }))
    .slice(-MAX_TYPED_WORDS);
}

/** Returns the longest of these ends that a name begins with, or has a word that does. */
export function matchName(
  label: string,
  typed: readonly Typed[],
): { readonly typed: Typed; readonly isStart: boolean } | undefined {
  const name = toTerm(label);
  for (const one of typed) {
    const isStart = name.startsWith(one.term);
    if (isStart || name.includes(` ${one.term}`)) return { typed: one, isStart };
  }
  return undefined;
}

type Match = { readonly candidate: Candidate; readonly typed: Typed; readonly isStart: boolean };

function match(candidate: Candidate, typed: readonly Typed[]): Match | undefined {
  const found = matchName(candidate.label, typed);
  return found && { candidate, ...found };
}

/**
 * Returns up to `size` completions of the longest end of a query that any name has: names that begin with it
 * before those with a later word that does, then by kind and count.
 */
export function complete(
  query: string,
  candidates: readonly Candidate[],
  size: number,
): Completion[] {
  const typed = listTyped(query);
  const all = candidates.flatMap((candidate) => match(candidate, typed) ?? []);
  const longest = Math.min(...all.map((one) => one.typed.start));
  const matches = all.filter((one) => one.typed.start === longest);
  matches.sort(
    (a, b) =>
      Number(b.isStart) - Number(a.isStart) ||
      toRank(a) - toRank(b) ||
      b.candidate.count - a.candidate.count ||
      a.candidate.label.localeCompare(b.candidate.label),
  );
  const perKind = new Map<CompletionKind, number>();
  const texts = new Set([query.trim()]);
  const found: Completion[] = [];
  for (const {
    candidate,
    typed: { start },
  } of matches) {
    const used = perKind.get(candidate.kind) ?? 0;
    const text = query.slice(0, start) + toWords(candidate, query.slice(0, start));
    // Two of one name are found by the same words.
    if (texts.has(text) || used >= MAX_PER_KIND) continue;
    texts.add(text);
    perKind.set(candidate.kind, used + 1);
    const { kind, label, id, person } = candidate;
    found.push({ kind, label, text, ...(id && { id }), ...(person && { person }) });
    if (found.length === size) break;
  }
  return found;
}

const toRank = ({ candidate }: Match): number => COMPLETION_KINDS.indexOf(candidate.kind);

/** An album is read only where the query says that it is one. */
const toWords = ({ kind, label }: Candidate, before: string): string =>
  kind === 'album' && !/\balbum\s+["“„]?$/.test(foldInPlace(before)) ? `album ${label}` : label;
