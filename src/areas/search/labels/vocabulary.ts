// Which labels a word finds, and what words of other languages mean: data of WordNet and CLDR, which
// native/label-words.ts writes.

type Words = {
  /** Source and name, as 'tags:tabby'. */
  readonly labels: readonly string[];
  /** Indexes of `labels` as '3-7,12', by term. */
  readonly terms: Readonly<Record<string, string>>;
};

export type Vocabulary = {
  /** Returns the labels of an English term in the singular or the plural; undefined for one that no label is a kind of. */
  readonly findLabels: (term: string) => readonly string[] | undefined;
  /** Returns the English for a term, which may be inflected. */
  readonly translate: (term: string, language: string) => string | undefined;
  /** Returns the name of a label in another language; undefined for one that the dictionary does not have. */
  readonly toLanguage: (label: string, language: string) => string | undefined;
  readonly languages: readonly string[];
  /** Whether models give a label of this name. */
  readonly isLabel: (name: string) => boolean;
  /** Whether a word occurs in English terms. */
  readonly isEnglish: (word: string) => boolean;
};

/** The name without its source: 'tabby' of 'tags:tabby'. */
export const toLabelName = (label: string): string => label.slice(label.indexOf(':') + 1);

let vocabulary: Promise<Vocabulary> | undefined;

/** Reads the data with the first search. */
export const loadVocabulary = (): Promise<Vocabulary> => (vocabulary ??= load());

async function load(): Promise<Vocabulary> {
  const [words, translations] = await Promise.all([
    import('./words.json').then((module) => module.default as Words),
    import('./translations.json').then(
      (module) => module.default as Readonly<Record<string, Readonly<Record<string, string>>>>,
    ),
  ]);
  const dictionaries = new Map(
    Object.entries(translations).map(([language, entries]) => [
      language,
      new Map(Object.entries(entries)),
    ]),
  );
  const inverted = new Map<string, ReadonlyMap<string, string>>();
  const invert = (language: string) => {
    const known = inverted.get(language) ?? invertDictionary(dictionaries.get(language));
    inverted.set(language, known);
    return known;
  };
  const labelNames = new Set(words.labels.map(toLabelName));
  const terms = new Map(Object.entries(words.terms));
  const english = new Set(
    [...terms.keys(), ...[...dictionaries.values()].flatMap((one) => [...one.values()])].flatMap(
      (term) => term.split(' '),
    ),
  );
  return {
    languages: [...dictionaries.keys()],
    findLabels(term) {
      const ranges = listSingulars(term)
        .map((one) => terms.get(one))
        .find((found) => found !== undefined);
      return ranges === undefined ? undefined : parseRanges(ranges).map((at) => words.labels[at]!);
    },
    translate(term, language) {
      const dictionary = dictionaries.get(language);
      return dictionary && (dictionary.get(term) ?? findInflected(dictionary, term));
    },
    toLanguage: (label, language) => invert(language).get(label.toLowerCase()),
    isLabel: (name) => labelNames.has(name),
    isEnglish: (word) => listSingulars(word).some((one) => english.has(one)),
  };
}

/** By English term; of several words the shortest. */
function invertDictionary(dictionary: ReadonlyMap<string, string> = new Map()) {
  const names = new Map<string, string>();
  for (const [word, english] of dictionary) {
    const known = names.get(english);
    if (known === undefined || word.length < known.length) names.set(english, word);
  }
  return names;
}

const parseRanges = (ranges: string): number[] =>
  ranges.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });

const IRREGULAR: Readonly<Record<string, string>> = {
  cacti: 'cactus',
  children: 'child',
  geese: 'goose',
  men: 'man',
  mice: 'mouse',
  people: 'person',
  women: 'woman',
};
const ENDINGS = [
  [/ies$/, 'y'],
  [/ves$/, 'f'],
  [/ves$/, 'fe'],
  [/es$/, ''],
  [/s$/, ''],
] as const;

/** Returns an English term, and what it may be the plural of. */
function listSingulars(term: string): string[] {
  const last = term.slice(term.lastIndexOf(' ') + 1);
  const start = term.slice(0, term.length - last.length);
  const singulars = ENDINGS.flatMap(([ending, replacement]) =>
    last.length > 3 && ending.test(last) ? [last.replace(ending, replacement)] : [],
  );
  return [last, IRREGULAR[last] ?? last, ...singulars].map((one) => start + one);
}

/** Letters that a stem has at least, and that an ending has at most. */
const MIN_STEM = 4;
const MAX_ENDING = 2;

/** Returns the translation of a word that differs in its ending only: Hunde, perros, kwiaty. */
function findInflected(dictionary: ReadonlyMap<string, string>, word: string): string | undefined {
  for (let ending = 1; ending <= MAX_ENDING; ending++) {
    const stem = word.slice(0, word.length - ending);
    if (stem.length < MIN_STEM || word.includes(' ')) return undefined;
    const exact = dictionary.get(stem);
    if (exact) return exact;
    for (const [other, translation] of dictionary)
      if (other.startsWith(stem) && other.length <= stem.length + 1) return translation;
  }
  return undefined;
}
