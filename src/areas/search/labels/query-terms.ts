import { tokenize } from '../match/words.ts';
import { isStopWord } from '../query/keywords.ts';
import { loadVocabulary, type Vocabulary } from './vocabulary.ts';

/** A part of a query that labels may show. */
export type LabelTerm = {
  /** In English. */
  readonly term: string;
  /** Labels that are this, or a kind of it: source and name, as 'tags:tabby'. */
  readonly labels: readonly string[];
};

export type QueryTerms = {
  readonly terms: readonly LabelTerm[];
  /** The query in English, as far as its words are known. */
  readonly english: string;
};

/** Words of the longest term that is looked for. */
const MAX_TERM_WORDS = 3;
/** Words of one sign are words in some languages. */
const MIN_UNKNOWN_LETTERS = 4;

type Reading = QueryTerms & { readonly known: number };

/**
 * Finds the terms of a query in the language that knows most of its words: among equals, the one given first, then
 * English. A language in which labels are found goes before one in which none are.
 */
export async function readTerms(text: string, language?: string): Promise<QueryTerms> {
  const words = tokenize(text);
  const vocabulary = await loadVocabulary();
  const given = language?.split(/[-_]/)[0]?.toLowerCase() ?? 'en';
  // Few English words have other letters: 'Bär' is no bar.
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  const order = [given, ...(isAscii ? ['en'] : []), ...vocabulary.languages, 'en'];
  const readings = [...new Set(isAscii || given !== 'en' ? order : order.slice(1))]
    .map((one) => read(words, text, one, vocabulary))
    .toSorted((a, b) => b.known - a.known);
  return readings.find(({ terms }) => terms.length > 0) ?? readings[0]!;
}

function read(
  words: readonly string[],
  text: string,
  language: string,
  vocabulary: Vocabulary,
): Reading {
  const terms: LabelTerm[] = [];
  const english: string[] = [];
  let known = 0;
  for (let at = 0; at < words.length;) {
    const found = findLongest(words.slice(at, at + MAX_TERM_WORDS), language, vocabulary);
    const count = found?.count ?? 1;
    if (found) {
      known += count;
      english.push(found.term);
      if (found.labels) terms.push({ term: found.term, labels: found.labels });
    } else if (words[at]!.length >= MIN_UNKNOWN_LETTERS) english.push(words[at]!);
    at += count;
  }
  return { terms, known, english: language === 'en' || known === 0 ? text : english.join(' ') };
}

type Found = {
  readonly term: string;
  readonly labels: readonly string[] | undefined;
  /** Words that it has. */
  readonly count: number;
};

function findLongest(
  words: readonly string[],
  language: string,
  vocabulary: Vocabulary,
): Found | undefined {
  for (let count = words.length; count > 0; count--) {
    const phrase = words.slice(0, count).join(' ');
    const term = language === 'en' ? phrase : vocabulary.translate(phrase, language);
    if (term === undefined || (count === 1 && isStopWord(phrase))) continue;
    const labels = vocabulary.findLabels(term);
    const isKnown = language !== 'en' || (count === 1 && vocabulary.isEnglish(phrase));
    if (labels || isKnown) return { term, labels, count };
  }
  return undefined;
}
