import { toPrimaryLanguage } from '../../../core/languages.ts';
import { getFirst } from '../../../core/required.ts';
import { tokenize } from '../match/words.ts';
import { type Evidence, findEvidence, joinColours } from './evidence.ts';
import {
  CONJUNCTIONS,
  FUNCTION_WORDS,
  isRequestWord,
  isNegation,
  isStopWord,
} from './function-words.ts';
import { UNSPACED, withoutElision } from './inflection.ts';
import { isOwn, listOwnLabels } from './own-labels.ts';
import { readCount } from './number-words.ts';
import {
  COMPOUND_CERTAINTY,
  listSingulars,
  loadVocabulary,
  type Vocabulary,
} from './vocabulary.ts';

/** A part of a query that labels may show. */
export type LabelTerm = {
  /** In English. */
  readonly term: string;
  /** Labels that are this, or a kind of it: source and name, as 'tags:tabby'. */
  readonly labels: readonly string[];
  /** Labels of people that may be this. */
  readonly own: readonly string[];
  /** Only the last part of a compound is known: 'Koelnmesse' is no knife. */
  readonly isGuess?: boolean;
  /** Evidence that the term needs; undefined where its labels are enough. */
  readonly evidence?: Evidence | undefined;
};

export type QueryTerms = {
  readonly terms: readonly LabelTerm[];
  /** Parts that no label of a model shows. */
  readonly others: readonly LabelTerm[];
  /** Labels of what the query excludes: 'without …'. */
  readonly excluded: readonly string[];
  /** The same of a query that says nothing else, which is none by itself: 'no cats'. */
  readonly excludedAlone: readonly string[];
  /** The query without what it excludes. */
  readonly text: string;
  /** The same in English, as far as its words are known. */
  readonly english: string;
};

/** Words of the longest term that is looked for. */
const MAX_TERM_WORDS = 3;
/** Unknown words below this are articles and the like in other languages. */
const MIN_UNKNOWN_LETTERS = 4;
/** Words of one language tell less of what is asked for than of the language. */
const FUNCTION_WORD_WEIGHT = 0.5;
/** A language that knows a smaller share of what the best one knows is not that of the query: a compound alone. */
const MIN_SHARE_OF_BEST = 0.75;

type Reading = QueryTerms & {
  readonly language: string;
  /** Words that the language knows; inflected ones and compounds count less. */
  readonly known: number;
  /** Whether it knows a noun of two words, which says the language. */
  readonly isSure: boolean;
  /** Whether it knows each word as it was typed, but those that show nothing. */
  readonly isWhole: boolean;
};

/**
 * Finds the terms of a query in the language that knows most of its words: among equals, the one given first, then
 * English. A language in which labels are found goes before one in which none are, unless the one given knows all
 * words: 'bar' in English is no bear ('Bär'), though no label may show it.
 */
export async function readTerms(text: string, language?: string): Promise<QueryTerms> {
  const typed = tokenize(text);
  const words = typed.map(withoutElision);
  const vocabulary = await loadVocabulary();
  const spoken = toPrimaryLanguage(language);
  const given = spoken ?? 'en';
  // Few English words have other letters: 'Bär' is no bar, and 'un'ape' no ape.
  const mayBeEnglish = /^[\x20-\x7e]*$/.test(text) && words.every((word, at) => word === typed[at]);
  const first = mayBeEnglish ? [given, 'en'] : given === 'en' ? [] : [given];
  const readings = [...new Set([...first, ...vocabulary.languages, 'en'])]
    .map((one) => read(words, text, one, vocabulary))
    .toSorted((a, b) => b.known - a.known);
  const best = getFirst(readings);
  const own = readings.find((reading) => reading.language === spoken);
  if (own?.isWhole) return own;
  // The end of a word is by chance one of another language: 'tolvente' is no duck ('Ente').
  const isStray = ({ language, terms, others }: Reading) =>
    language !== given &&
    terms.length > 0 &&
    others.length > 0 &&
    terms.every(({ isGuess }) => isGuess);
  const isLikely = (reading: Reading) =>
    (reading.terms.length > 0 || reading.isSure) &&
    reading.known >= best.known * MIN_SHARE_OF_BEST &&
    !isStray(reading);
  return readings.find(isLikely) ?? readings.find((reading) => !isStray(reading)) ?? best;
}

function read(
  words: readonly string[],
  text: string,
  language: string,
  vocabulary: Vocabulary,
): Reading {
  const terms: LabelTerm[] = [];
  const others: LabelTerm[] = [];
  const excluded: string[] = [];
  const rest: Part[] = [];
  const english: string[] = [];
  let known = 0;
  let isSure = false;
  let isWhole = true;
  // A stop word alone is one of another language: 'mes' is a knife in Dutch.
  const functionWords = FUNCTION_WORDS[language] ?? new Set();
  const saysNothing = (word: string) => isStopWord(word) || functionWords.has(word);
  const isIdle = words.every(saysNothing) ? isRequestWord : saysNothing;
  const dictionary = { language, vocabulary, isIdle };
  // Behind a negation the next term is excluded, and those that are listed with it.
  let negation: 'none' | 'begun' | 'done' = 'none';
  let number: number | undefined;
  let isCounted = false;
  for (let at = 0, word = words[at]; word !== undefined; word = words[at]) {
    const counted = findCount(words.slice(at), dictionary);
    if (counted) {
      number = counted.value;
      isCounted = true;
      known += 1;
      rest.push({ words: words.slice(at, at + counted.count), isFound: true });
      at += counted.count;
      if (counted.isOfPeople && !counted.isOfThing) {
        terms.push(toPart(['people'], PEOPLE, number));
        english.push('people');
      }
      continue;
    }
    const found = findLongest(words.slice(at, at + MAX_TERM_WORDS), dictionary);
    const count = found?.count ?? 1;
    isSure ||= count > 1;
    const isBehind = BEHIND.test(words[at + count] ?? '');
    if (isNegation(word, language) && at + 1 < words.length) negation = 'begun';
    else if (NOBODY.has(word)) {
      excluded.push(...PEOPLE.labels);
      known += 1;
      negation = 'done';
    } else if (found?.labels && (isBehind || negation === 'begun')) {
      excluded.push(...found.labels, ...listOwnLabels(found.term));
      known += count * found.certainty;
      if (isBehind) at += 1;
      else negation = 'done';
    } else if (negation === 'done' && CONJUNCTIONS.has(word)) negation = 'begun';
    else if (negation !== 'begun' || word.length >= MIN_UNKNOWN_LETTERS) {
      negation = 'none';
      rest.push({ words: words.slice(at, at + count), isFound: found !== undefined });
      isWhole &&= found ? found.certainty === 1 : isIdle(word);
      if (found) known += count * found.certainty;
      else if (functionWords.has(word)) known += FUNCTION_WORD_WEIGHT;
      const isThing = found?.labels !== undefined && !isColour({ labels: found.labels });
      const part = toPart(words.slice(at, at + count), found, isThing ? number : undefined);
      if (isThing) number = undefined;
      if (found?.labels) terms.push(part);
      else if (!isIdle(word)) others.push(part);
      if (found) english.push(found.term);
      else if (word.length >= MIN_UNKNOWN_LETTERS && !isIdle(word)) english.push(word);
    }
    at += count;
  }
  // "No cats" asks for all other pictures, which is no search.
  const isNegated = excluded.length > 0 && rest.length > 0;
  const left = isNegated ? toText(rest) : text;
  const isTranslated = language !== 'en' && known > 0;
  return {
    // A colour is no reason to show something else than what no label shows.
    terms:
      terms.every(isColour) && english.length > terms.length
        ? []
        : joinColours(terms, vocabulary.listBroader),
    others,
    excluded: isNegated ? excluded : [],
    excludedAlone: rest.length === 0 ? excluded : [],
    text: left,
    english: isTranslated || isCounted ? english.join(' ') : withoutIdleEnds(rest, left),
    known,
    isSure,
    isWhole: isWhole && known >= 1,
    language,
  };
}

function toPart(
  words: readonly string[],
  found: Pick<Found, 'term' | 'labels' | 'certainty'> | undefined,
  count: number | undefined,
): LabelTerm {
  const typed = words.join(' ');
  const { term = typed, labels = [], certainty = 1 } = found ?? {};
  const isGuess = certainty <= COMPOUND_CERTAINTY;
  const evidence = findEvidence(listSingulars(term), labels, count);
  return {
    term,
    labels,
    own: listOwnLabels(term, typed),
    ...(isGuess && { isGuess }),
    ...(evidence && { evidence }),
  };
}

/** 'Nobody', who stands for no people. */
const NOBODY = new Set(
  'nobody niemand niemanden nadie nessuno ninguem nikt nikogo никого'.split(' '),
);
/** Behind what Japanese and Chinese exclude. */
const BEHIND = /^(?:以外|なし|無し|ぬき|抜き|を?除[くいき]?)/;

const PEOPLE = { term: 'people', labels: ['objects:person'], certainty: 1 };

/** Returns the number that the words begin with, if a thing follows it: three zebras, two white horses. */
function findCount(words: readonly string[], dictionary: Dictionary) {
  const counted = readCount(words, dictionary.language);
  if (!counted) return undefined;
  let at = counted.count;
  for (let skipped = 0; skipped < 2; skipped++) {
    const next = findLongest(words.slice(at, at + MAX_TERM_WORDS), dictionary);
    if (!next?.labels) break;
    if (!isColour({ labels: next.labels })) return { ...counted, isOfThing: true };
    at += next.count;
  }
  return counted.isOfPeople ? { ...counted, isOfThing: false } : undefined;
}

/** A term of the query, or a word that is none. */
type Part = { readonly words: readonly string[]; readonly isFound: boolean };

const toText = (parts: readonly Part[]): string => parts.flatMap(({ words }) => words).join(' ');

/** Returns a text without the stop words at its ends, which show nothing: photos of dogs. */
function withoutIdleEnds(parts: readonly Part[], text: string): string {
  const says = ({ words, isFound }: Part) => isFound || !words.every(isStopWord);
  const first = parts.findIndex(says);
  const last = parts.findLastIndex(says);
  const isWhole = first < 0 || (first === 0 && last === parts.length - 1);
  return isWhole ? text : toText(parts.slice(first, last + 1));
}

/** Returns whether labels may show everything that the query names. */
export const isWhollyLabelled = ({ terms, english }: QueryTerms): boolean => {
  const known = new Set(terms.flatMap(({ term }) => tokenize(term)));
  return tokenize(english).every((word) => known.has(word) || isStopWord(word));
};

/** Colours tell apart what has the other terms. */
export const isColour = ({ labels }: Pick<LabelTerm, 'labels'>): boolean =>
  labels.every((label) => label.startsWith('colours:') || isOwn(label)) &&
  labels.some((label) => !isOwn(label));

type Found = {
  readonly term: string;
  readonly labels: readonly string[] | undefined;
  /** Words that it has. */
  readonly count: number;
  /** 0 to 1. */
  readonly certainty: number;
};

function isColoured(term: string, { findLabels }: Vocabulary): boolean {
  const [colour = '', ...words] = term.split(' ');
  const labels = findLabels(colour);
  return labels !== undefined && isColour({ labels }) && findLabels(words.join(' ')) !== undefined;
}

type Dictionary = {
  readonly language: string;
  readonly vocabulary: Vocabulary;
  /** Words that are no terms by themselves. */
  readonly isIdle: (word: string) => boolean;
};

function findLongest(
  words: readonly string[],
  { language, vocabulary, isIdle }: Dictionary,
): Found | undefined {
  for (let count = words.length; count > 0; count--) {
    const phrase = words.slice(0, count).join(UNSPACED.has(language) ? '' : ' ');
    const translation =
      language === 'en'
        ? { english: phrase, certainty: 1 }
        : vocabulary.translate(phrase, language);
    if (translation === undefined || (count === 1 && isIdle(phrase))) continue;
    const { english: term, certainty } = translation;
    const whole = vocabulary.findLabels(term);
    // 'Mele rosse' is a red apple, of which no label knows more than that it is red, and an apple.
    if (!whole && count > 1 && isColoured(term, vocabulary)) continue;
    // A mountain with snow on it is a mountain, where no label shows the whole.
    const isPhrase = language !== 'en' && certainty > COMPOUND_CERTAINTY && term.includes(' ');
    const last = term.slice(term.lastIndexOf(' ') + 1);
    const labels = whole ?? (isPhrase ? vocabulary.findLabels(last) : undefined);
    const isKnown =
      language !== 'en' ||
      (count === 1 ? vocabulary.isEnglish(phrase) : vocabulary.isCompound(phrase));
    if (labels || isKnown) return { term, labels, count, certainty };
  }
  return undefined;
}
