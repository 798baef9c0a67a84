// Tokenization of any script, the same for indexing and for queries. PostgreSQL's own parser takes
// a Japanese sentence for one word.

import { fold } from '../../../core/fold-text.ts';
import type { CaptureType } from '../../assets/index.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Longest word that is indexed, in characters. */
const MAX_LETTERS = 60;
const MAX_WORDS = 4000;

/** Returns the folded words in order, with repetitions, at most `MAX_WORDS`. */
export function tokenize(text: string): string[] {
  // The segmenter does not split at the separators of file names.
  const folded = fold(text).replace(/[_.\-/]/g, ' ');
  return ARE_PLAIN.test(folded) ? splitPlain(folded) : segment(folded);
}

/** A word that the end of a line cuts: 'Straßen-' and 'bahn'. */
const CUT_BY_LINE = /(\p{L}{2,})[-‐\u00ad]\s*\n\s*(\p{Ll}+)/gu;
/** Letters with dots before a word, and parts without a space between them: 'J. P. Morgan', 'A&O', 'T-Rex'. */
const CUT_BY_SIGNS = /(?:\p{L}\.\s?){1,4}\p{L}{2,}|[\p{L}\p{N}]+(?:['’.&/·-][\p{L}\p{N}]+)+/gu;
/** A short line with letters and digits: a number plate, which people type with and without its spaces. */
const CODE_LINE = /^(?=.*\p{L})(?=.*\p{N})[\p{L}\p{N}]+(?: [\p{L}\p{N}]+){1,2}$/gmu;
const MAX_CODE = 12;
/** A longer one is an address of a page or the like. */
const MAX_JOINED = 24;

/**
 * Returns the folded words of a recognised text, or of a query for it, as they are without what cuts them in two: the end
 * of a line and punctuation. A recogniser sees spaces and dots where there are none, and none where there are some.
 */
export function joinCutWords(text: string): string[] {
  const cut = [
    ...[...text.matchAll(CUT_BY_LINE)].map(([, start = '', end = '']) => start + end),
    ...(text.match(CUT_BY_SIGNS) ?? []),
    ...(text.match(CODE_LINE) ?? []).filter((line) => line.length <= MAX_CODE),
  ];
  const joined = cut.map((word) => fold(word).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''));
  return [...new Set(joined)].filter((word) => word.length > 1 && word.length <= MAX_JOINED);
}

/** Words that end at spaces only; the segmenter takes ten times as long for them. */
const ARE_PLAIN = /^[a-z0-9 ]*$/;

const splitPlain = (text: string): string[] =>
  (text.match(/[a-z0-9]+/g) ?? []).slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_LETTERS));

function segment(text: string): string[] {
  const found: string[] = [];
  for (const { segment: part, isWordLike } of segmenter.segment(text)) {
    if (isWordLike) found.push(Array.from(part).slice(0, MAX_LETTERS).join(''));
    if (found.length >= MAX_WORDS) break;
  }
  return found;
}

/** Returns the words of a name as the key by which it is found. */
export const toTerm = (name: string): string => tokenize(name).join(' ');

/** Texts of an asset by full-text weight, A to D. */
export type WeightedTexts = {
  readonly chosen: readonly string[];
  readonly places: readonly string[];
  readonly names: readonly string[];
  /** Recognized in the picture or the sound. */
  readonly recognised: readonly string[];
};

const WEIGHTS = [
  ['chosen', '1A'],
  ['places', '2B'],
  ['names', '3C'],
  ['recognised', '4D'],
] as const satisfies readonly (readonly [keyof WeightedTexts, string])[];

export type TextVector = {
  readonly words: readonly string[];
  /** As a tsvector. */ vector: string;
};

/** `labels`: those that are likely, with their source: 'tags:tabby'. `month`: that of the capture. */
export function buildTextVector(
  texts: WeightedTexts,
  labels: readonly string[] = [],
  month?: string,
): TextVector {
  const places = new Map<string, string[]>();
  for (const [kind, weight] of WEIGHTS) {
    const words = texts[kind].flatMap(tokenize);
    const joined = kind === 'recognised' ? texts[kind].flatMap(joinCutWords) : [];
    for (const word of new Set([...words, ...joined])) {
      const known = places.get(word);
      if (known) known.push(weight);
      else if (places.size < MAX_WORDS) places.set(word, [weight]);
    }
  }
  const lexemes = [...places].map(([word, list]) => `${quoteLexeme(word)}:${list.join()}`);
  const labelled = labels.map((label) => `${quoteLabel(label)}:4D`);
  const dated = month === undefined ? [] : [quoteLabel(toMonthLabel(month))];
  return { words: [...places.keys()], vector: [...lexemes, ...labelled, ...dated].join(' ') };
}

/** No word begins with a colon: a label is found by none. */
const quoteLabel = (label: string) => quoteLexeme(`:${label}`);

/** The label of how an item was made. */
export const toCaptureLabel = (type: CaptureType): string => `capture:${type}`;

/** The label of a month of capture, given as its first day. The migration that added it writes the same. */
export const toMonthLabel = (month: string): string => `month:${month}`;

/** Returns a tsquery of any of the labels. */
export const toLabelTsquery = (labels: readonly string[]): string =>
  [...new Set(labels)].map(quoteLabel).join(' | ');

/** Returns whether a word is offered as a correction: numbers and short words are not. */
export const isCorrectable = (word: string): boolean => word.length >= 4 && !/\d/.test(word);

/**
 * Returns a tsquery that requires each word as a prefix, or one of its corrections, in texts of `weights` if given.
 * Undefined without words.
 */
export function toPrefixTsquery(
  words: readonly [string, ...string[]],
  corrections?: ReadonlyMap<string, readonly string[]>,
  weights?: string,
): string;
export function toPrefixTsquery(
  words: readonly string[],
  corrections?: ReadonlyMap<string, readonly string[]>,
  weights?: string,
): string | undefined;
export function toPrefixTsquery(
  words: readonly string[],
  corrections: ReadonlyMap<string, readonly string[]> = new Map(),
  weights = '',
): string | undefined {
  if (words.length === 0) return undefined;
  return [...new Set(words)]
    .map((word) => {
      const others = (corrections.get(word) ?? []).map((other) => toExactTsquery([other], weights));
      return `(${[`${quoteLexeme(word)}:*${weights}`, ...others].join(' | ')})`;
    })
    .join(' & ');
}

/** Returns a tsquery of whole words, limited to `weights` ('AC') if given. */
export const toExactTsquery = (words: readonly string[], weights = ''): string =>
  words.map((word) => `${quoteLexeme(word)}${weights && `:${weights}`}`).join(' & ');

/** Returns a tsquery of what is asked for, or of a word as which a recogniser may have read it. */
export const orJoined = (query: string, joined: readonly string[]): string =>
  [`(${query})`, ...joined.map((word) => toExactTsquery([word], RECOGNISED))].join(' | ');

/** Weight of recognised text. */
export const RECOGNISED = 'D';

/** Removes weight B (places) from a tsquery: for owners who hide where their photos were taken. */
export const excludePlaceWeight = (query: string): string =>
  query.replaceAll(
    /('[^']*')(?::(\*)?([A-D]*))?/g,
    (_, word: string, star = '', weights?: string) =>
      `${word}:${star}${(weights || 'ABCD').replace('B', '')}`,
  );

/** Returns a prefix tsquery limited to weight D (recognized text); undefined without words. */
export function toRecognisedTsquery(text: string): string | undefined {
  const words = [...new Set(tokenize(text))];
  const query = toPrefixTsquery(words, undefined, RECOGNISED);
  return query === undefined ? undefined : orJoined(query, joinCutWords(text));
}

const quoteLexeme = (word: string) => `'${word.replaceAll(/['\\]/g, '')}'`;

/** Folds character by character, so that offsets stay the same. */
export const foldInPlace = (text: string): string =>
  text
    .replaceAll(/[^\0-\x7f]/g, (letter) => {
      const base = letter === 'ł' || letter === 'Ł' ? 'l' : (letter.normalize('NFD')[0] ?? letter);
      return base.length === letter.length ? base : letter;
    })
    .toLowerCase();
