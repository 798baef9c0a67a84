import { toName } from '../../../core/fold-text.ts';
import { toTerm } from '../match/words.ts';
import { isStopWord } from './function-words.ts';
import { listSingulars, type Vocabulary } from './vocabulary.ts';

// Labels that people give and no model does: in their own words, in any language.

/** Per asset. */
export const MAX_OWN_LABELS = 100;
const MAX_LETTERS = 60;
const IS_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’.&-]*$/u;

/** Returns a label as it is stored; undefined for what is none. */
export function toOwnLabel(text: string): string | undefined {
  const name = toName(text).replaceAll(/ +/g, ' ');
  const isLabel = IS_NAME.test(name) && name.length <= MAX_LETTERS && toTerm(name) !== '';
  return isLabel ? name : undefined;
}

const toOwn = (term: string): string => `own:${term}`;

/** Returns the labels by which a part of a query finds what people have named so. */
export const listOwnLabels = (...terms: readonly string[]): string[] => [
  ...new Set(terms.flatMap(listSingulars).map(toOwn)),
];

export const isOwn = (label: string): boolean => label.startsWith('own:');

/**
 * Returns the names that no model gives, and the labels by which these are found: of what was typed, of each word of it, and
 * of the English for it.
 */
export function findOwnLabels(
  confirmed: readonly string[],
  vocabulary: Vocabulary,
): { readonly names: readonly string[]; readonly labels: readonly string[] } {
  const names = confirmed.filter((name) => vocabulary.findLabel(name) !== name);
  const labels = names.map(toTerm).flatMap((term) => {
    const words = term.split(' ').filter((word) => !isStopWord(word));
    return listOwnLabels(term, ...words, ...translateAny(term, vocabulary));
  });
  return { names, labels };
}

/** Returns the English for a term of any language; nothing for an English one. */
const translateAny = (term: string, { languages, translate, isEnglish }: Vocabulary): string[] =>
  term.split(' ').every(isEnglish)
    ? []
    : languages.flatMap((language) => {
        const found = translate(term, language);
        return found && found.certainty >= MIN_CERTAINTY ? [found.english] : [];
      });

/** An inflected word, but no compound of it: a Bobbycar is no car. */
const MIN_CERTAINTY = 0.9;
