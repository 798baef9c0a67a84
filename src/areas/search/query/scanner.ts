import { negate } from './chip-filter.ts';
import {
  createIdleTest,
  isFunctionWord,
  isNegation,
  isRequestWord,
  listTellingLanguages,
} from '../labels/function-words.ts';
import { foldInPlace } from '../match/words.ts';
import { IDLE_PHRASES } from './keywords.ts';
import { locateWords, type Word } from './lexicon.ts';
import { findNegation } from './negations.ts';

// The parts of a query that have become a chip, and the text that is left.

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

export type Meaning = Pick<Chip, 'field' | 'label' | 'value'>;
export type Scanner = ReturnType<typeof createScanner>;

/** Their marks alone tell them from words that show nothing: 'pôr do sol' is a sunset. */
const MARKED_THINGS: ReadonlySet<string> = new Set(['pôr', 'Pôr']);

/** Words beside the name of a camera. */
const CAMERA_WORDS: ReadonlySet<string> = new Set(['camera', 'kamera']);

/** Consumes parts of the query; no part is consumed twice. */
export function createScanner(query: string, language: string | undefined) {
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
      const all = locateWords(query).map(({ folded }) => folded);
      const isIdleWord = createIdleTest(all, language);
      const spoken = listTellingLanguages(all, language)[0] ?? language ?? 'en';
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
        const [told, last] = [telling.at(0), telling.at(-1)];
        // 'Bez dzieci' excludes, though 'bez' alone shows nothing.
        const ahead = told ? words.slice(0, words.indexOf(told)) : [];
        const first = ahead.findLast(({ folded }) => isNegation(folded, spoken)) ?? told;
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

export function takeOrExclude(
  scanner: Scanner,
  meaning: Meaning,
  start: number,
  end: number,
): void {
  const negation = findNegation(scanner.rest(), start, end);
  if (negation) scanner.take(negation.start, negation.end, toNegated(meaning));
  else scanner.take(start, end, meaning);
}

export const toNegated = ({ field, label, value }: Meaning): Meaning => ({
  field,
  label: `not ${label}`,
  value: negate(field, value),
});
