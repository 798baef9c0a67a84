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
  /** Labels of what the query excludes: 'without …'. */
  readonly excluded: readonly string[];
  /** The query without what it excludes. */
  readonly text: string;
  /** The same in English, as far as its words are known. */
  readonly english: string;
};

/** Words of the longest term that is looked for. */
const MAX_TERM_WORDS = 3;
/** Unknown words below this are articles and the like in other languages. */
const MIN_UNKNOWN_LETTERS = 4;

const toWords = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));
const NEGATIONS = toWords(
  `without not no except excluding ohne kein keine keinen keinem keiner ausser nicht sans sauf hormis sin excepto salvo
  menos senza tranne eccetto zonder behalve geen niet bez oprocz procz sem exceto 没有 不含 除了 不要`,
);
/** Words that list one more of what is excluded. */
const CONJUNCTIONS = toWords('and or und oder et ou y o e of en i lub 和 或');

type Reading = QueryTerms & {
  /** Words that the language knows. */
  readonly known: number;
};

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
  const first = isAscii ? [given, 'en'] : given === 'en' ? [] : [given];
  const readings = [...new Set([...first, ...vocabulary.languages, 'en'])]
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
  const excluded: string[] = [];
  const rest: string[] = [];
  const english: string[] = [];
  let known = 0;
  // Behind a negation the next term is excluded, and those that are listed with it.
  let negation: 'none' | 'begun' | 'done' = 'none';
  for (let at = 0; at < words.length;) {
    const word = words[at]!;
    const found = findLongest(words.slice(at, at + MAX_TERM_WORDS), language, vocabulary);
    const count = found?.count ?? 1;
    if (NEGATIONS.has(word) && at + 1 < words.length) negation = 'begun';
    else if (negation === 'done' && CONJUNCTIONS.has(word)) negation = 'begun';
    else if (negation === 'begun' && found?.labels) {
      excluded.push(...found.labels);
      known += count;
      negation = 'done';
    } else if (negation !== 'begun' || word.length >= MIN_UNKNOWN_LETTERS) {
      negation = 'none';
      rest.push(...words.slice(at, at + count));
      known += found ? count : 0;
      if (found?.labels) terms.push({ term: found.term, labels: found.labels });
      if (found) english.push(found.term);
      else if (word.length >= MIN_UNKNOWN_LETTERS && !isStopWord(word)) english.push(word);
    }
    at += count;
  }
  // "No cats" asks for all other pictures, which is no search.
  const isNegated = excluded.length > 0 && rest.length > 0;
  const left = isNegated ? rest.join(' ') : text;
  const isTranslated = language !== 'en' && known > 0;
  return {
    // A colour is no reason to show something else than what no label shows.
    terms: terms.every(isColour) && english.length > terms.length ? [] : terms,
    excluded: isNegated ? excluded : [],
    text: left,
    english: isTranslated ? english.join(' ') : left,
    known,
  };
}

/** Colours tell apart what has the other terms. */
export const isColour = ({ labels }: LabelTerm): boolean =>
  labels.every((label) => label.startsWith('colours:'));

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
