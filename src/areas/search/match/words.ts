// Words of any script, the same way for what is found and for what is asked: PostgreSQL's own parser
// takes a Japanese sentence for one word.

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const MARKS = /\p{M}+/gu;
/** Letters that do not come apart into a plain one and a mark. */
const LETTER_REPLACEMENTS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};
const REPLACED_LETTERS = new RegExp(`[${Object.keys(LETTER_REPLACEMENTS).join('')}]`, 'gu');

/** The usual case, many times quicker. */
const IS_ASCII = /^[\x20-\x7e]*$/;

/** 'Škoda' and 'skoda' are one; so are full-width and plain letters. */
export const fold = (text: string): string =>
  IS_ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(MARKS, '')
        .toLowerCase()
        .replace(REPLACED_LETTERS, (letter) => LETTER_REPLACEMENTS[letter] ?? letter);

/** A word longer than this is none that anybody types. */
const MAX_LETTERS = 60;
const MAX_WORDS = 4000;

/** In the order of the text, with repetitions. */
export function tokenize(text: string): string[] {
  const found: string[] = [];
  // What joins the parts of a file name does not separate words for the segmenter.
  for (const { segment, isWordLike } of segmenter.segment(fold(text).replace(/[_.\-/]/g, ' '))) {
    if (isWordLike) found.push(Array.from(segment).slice(0, MAX_LETTERS).join(''));
    if (found.length >= MAX_WORDS) break;
  }
  return found;
}

/** What is known of an asset in words, by how much it says. */
export type WeightedTexts = {
  readonly chosen: readonly string[];
  readonly places: readonly string[];
  readonly names: readonly string[];
  /** Read or heard in it. */
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

export function buildTextVector(texts: WeightedTexts): TextVector {
  const places = new Map<string, string[]>();
  for (const [kind, weight] of WEIGHTS) {
    for (const word of new Set(texts[kind].flatMap(tokenize))) {
      const known = places.get(word);
      if (known) known.push(weight);
      else if (places.size < MAX_WORDS) places.set(word, [weight]);
    }
  }
  return {
    words: [...places.keys()],
    vector: [...places].map(([word, list]) => `${quoteLexeme(word)}:${list.join()}`).join(' '),
  };
}

/** Numbers are many and are never typed wrong: they are not offered for what was. */
export const isCorrectable = (word: string): boolean => word.length >= 4 && !/\d/.test(word);

/** All of the words, each by its beginning, or one of the words that are meant instead of it. */
export function toPrefixTsquery(
  words: readonly string[],
  corrections: ReadonlyMap<string, readonly string[]> = new Map(),
): string | undefined {
  if (words.length === 0) return undefined;
  return [...new Set(words)]
    .map((word) => {
      const others = (corrections.get(word) ?? []).map(quoteLexeme);
      return `(${[`${quoteLexeme(word)}:*`, ...others].join(' | ')})`;
    })
    .join(' & ');
}

/** All of the words, whole; of texts of these weights only, as 'AC', if any are named. */
export const toExactTsquery = (words: readonly string[], weights = ''): string =>
  words.map((word) => `${quoteLexeme(word)}${weights && `:${weights}`}`).join(' & ');

/** Of a query of words, what is found by anything but the name of a place. */
export const excludePlaceWeight = (query: string): string =>
  query.replaceAll(
    /('[^']*')(?::(\*)?([A-D]*))?/g,
    (_, word: string, star = '', weights?: string) =>
      `${word}:${star}${(weights || 'ABCD').replace('B', '')}`,
  );

/** The same, only where it was read or heard in the asset. */
export function toRecognisedTsquery(text: string): string | undefined {
  const words = [...new Set(tokenize(text))];
  return words.length === 0
    ? undefined
    : words.map((word) => `${quoteLexeme(word)}:*D`).join(' & ');
}

const quoteLexeme = (word: string) => `'${word.replaceAll(/['\\]/g, '')}'`;

/** Without marks and capitals, letter for letter: a place in it is the same place in the text. */
export const foldInPlace = (text: string): string =>
  text
    .replaceAll(/[^\0-\x7f]/g, (letter) => {
      const base = letter.normalize('NFD')[0] ?? letter;
      return base.length === letter.length ? base : letter;
    })
    .toLowerCase();
