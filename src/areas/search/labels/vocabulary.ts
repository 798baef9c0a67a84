import { toTerm } from '../match/words.ts';
import { listBaseForms, listHeads, toHiragana, UNSPACED } from './inflection.ts';

// Which labels a word finds, and what words of other languages mean: data of WordNet and CLDR, which
// native/label-words.ts writes.

type Words = {
  /** Source and name, as 'tags:tabby'. */
  readonly labels: readonly string[];
  /** Indexes of `labels` as '3-7,12', by term. */
  readonly terms: Readonly<Record<string, string>>;
  /** Nouns of two words that no label shows, though it shows the first. */
  readonly compounds: readonly string[];
};

export type Vocabulary = {
  /** Returns the labels of an English term in the singular or the plural; undefined for one that no label is a kind of. */
  readonly findLabels: (term: string) => readonly string[] | undefined;
  /** Returns the English for a term, which may be inflected or a compound. */
  readonly translate: (term: string, language: string) => Translation | undefined;
  /** Returns the name of a label in another language; undefined for one that the dictionary does not have. */
  readonly toLanguage: (label: string, language: string) => string | undefined;
  readonly languages: readonly string[];
  /** Names in a language of what models see: objects and scenes first, then the shorter ones. Colours are no things. */
  readonly listNames: (language: string) => readonly LabelName[];
  /** Returns the label of models that a name stands for, in the case and number that they write. */
  readonly findLabel: (name: string, language?: string) => string | undefined;
  /** Returns the names of the labels that include another, given by source and name: 'tags:tabby' is a cat. */
  readonly listBroader: (label: string) => readonly string[];
  /** The same of all labels as JSON. */
  readonly broader: string;
  /** Whether these are one English noun that no label shows, though it may show the first word. */
  readonly isCompound: (term: string) => boolean;
  /** Whether a word occurs in English terms. */
  readonly isEnglish: (word: string) => boolean;
  /** Whether a word is one of any language: it is neither the beginning of another word nor a misspelled one. */
  readonly isWord: (word: string) => boolean;
};

export type Translation = {
  readonly english: string;
  /** Certainty, 0 to 1: less for an inflected word, and still less for the last part of one. */
  readonly certainty: number;
};

export type LabelName = {
  readonly name: string;
  /** Labels that are this, or a kind of it. */
  readonly labels: readonly string[];
};

/** The name without its source: 'tabby' of 'tags:tabby'. */
export const toLabelName = (label: string): string => label.slice(label.indexOf(':') + 1);

let vocabulary: Promise<Vocabulary> | undefined;

/** A text by another, by language. */
type ByLanguage = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the data with the first search. */
export const loadVocabulary = (): Promise<Vocabulary> => (vocabulary ??= load());

async function load(): Promise<Vocabulary> {
  const [words, translations, names] = await Promise.all([
    import('./words.json').then((module) => module.default as Words),
    import('./translations.json').then((module) => module.default as ByLanguage),
    import('./names.json').then((module) => module.default as ByLanguage),
  ]);
  const dictionaries = new Map(
    Object.entries(translations).map(([language, entries]) => [
      language,
      createDictionary(entries, language),
    ]),
  );
  const inverted = new Map<string, ReadonlyMap<string, string>>();
  const invert = (language: string) => {
    const known = inverted.get(language) ?? invertDictionary(dictionaries.get(language));
    inverted.set(language, known);
    return known;
  };
  const findLabel = createLabelFinder(words.labels.map(toLabelName));
  const terms = new Map(Object.entries(words.terms));
  const compounds = new Set(words.compounds);
  const english = new Set(
    [...terms.keys(), ...[...dictionaries.values()].flatMap((one) => [...one.values()])].flatMap(
      (term) => term.split(' '),
    ),
  );
  const findRanges = (term: string) =>
    listSingulars(term)
      .map((one) => terms.get(one))
      .find((found) => found !== undefined);
  const findLabels = (term: string) => {
    const ranges = findRanges(term);
    return ranges === undefined
      ? undefined
      : parseRanges(ranges).flatMap((at) => words.labels[at] ?? []);
  };
  const translate = (term: string, language: string) => {
    const dictionary = dictionaries.get(language);
    if (!dictionary) return undefined;
    const found = findTranslation(dictionary, term, language);
    if (found?.certainty !== 1 || findRanges(found.english) !== undefined) return found;
    // 'Fiori' are clubs on cards, and flowers: what can be shown is meant.
    const english = listInflected(dictionary, term, language).find((one) => findRanges(one));
    return english === undefined ? found : { english, certainty: INFLECTED };
  };
  const toLanguage = (label: string, language: string) => {
    const name = label.toLowerCase();
    return names[language]?.[name] ?? invert(language).get(name);
  };
  const byLanguage = new Map<string, readonly LabelName[]>();
  const listNames = (language: string) => {
    const known =
      byLanguage.get(language) ??
      sortNames(words.labels, (label) => {
        const name = toLanguage(label, language) ?? label;
        return { name, labels: findLabels(label.toLowerCase()) ?? [] };
      });
    byLanguage.set(language, known);
    return known;
  };
  const broader = findBroader(words.labels, findLabels);
  return {
    languages: [...dictionaries.keys()],
    findLabels,
    translate,
    findLabel(name, language) {
      const known = findLabel(name);
      if (known !== undefined || language === undefined) return known;
      const translated = translate(toTerm(name), language);
      return translated?.certainty === 1 ? findLabel(translated.english) : undefined;
    },
    listBroader: (label) => broader[label] ?? [],
    broader: JSON.stringify(broader),
    toLanguage,
    listNames,
    isCompound: (term) => listSingulars(term).some((one) => compounds.has(one)),
    isEnglish: (word) => listSingulars(word).some((one) => english.has(one)),
    isWord: (word) =>
      listSingulars(word).some((one) => english.has(one)) ||
      [...dictionaries.values()].some((dictionary) => dictionary.has(word)),
  };
}

/** Names that differ in their case only are two labels: Cardigan is a dog, cardigan a jacket. */
function createLabelFinder(names: readonly string[]) {
  const exact = new Set(names);
  const byFolded = new Map(names.map((name) => [name.toLowerCase(), name]));
  return (name: string): string | undefined =>
    exact.has(name)
      ? name
      : listSingulars(name.toLowerCase()).flatMap((one) => byFolded.get(one) ?? [])[0];
}

function sortNames(labels: readonly string[], toName: (label: string) => LabelName): LabelName[] {
  const isCommon = (label: string) => /^(?:objects|scenes):/.test(label);
  const rest = labels.filter((label) => label.startsWith('tags:'));
  const all = [...labels.filter(isCommon), ...rest].map((label) => toName(toLabelName(label)));
  const common = all.length - rest.length;
  const sorted = [all.slice(0, common), all.slice(common)].flatMap((some) =>
    some.toSorted((a, b) => a.name.length - b.name.length),
  );
  return [...new Map(sorted.toReversed().map((one) => [one.name.toLowerCase(), one])).values()]
    .filter((one) => one.labels.length > 0)
    .toReversed();
}

/** Scenes are left out: things belong to them, but are no kinds of them. */
function findBroader(
  labels: readonly string[],
  findLabels: Vocabulary['findLabels'],
): Readonly<Record<string, readonly string[]>> {
  const broader = new Map<string, Set<string>>();
  for (const name of new Set(labels.filter(isThing).map(toLabelName)))
    for (const kind of (findLabels(name.toLowerCase()) ?? []).filter(isThing))
      if (toLabelName(kind).toLowerCase() !== name.toLowerCase())
        broader.set(kind, (broader.get(kind) ?? new Set()).add(name));
  return Object.fromEntries([...broader].map(([kind, names]) => [kind, [...names]]));
}

const isThing = (label: string): boolean => /^(?:tags|objects):/.test(label);

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
  feet: 'foot',
  geese: 'goose',
  men: 'man',
  mice: 'mouse',
  oxen: 'ox',
  people: 'person',
  teeth: 'tooth',
  women: 'woman',
};
const ENDINGS = [
  [/['’]s$/, ''],
  [/ies$/, 'y'],
  [/ves$/, 'f'],
  [/ves$/, 'fe'],
  [/es$/, ''],
  [/s$/, ''],
] as const;

/** Returns an English term, and what it may be the plural of. */
export function listSingulars(term: string): string[] {
  const last = term.slice(term.lastIndexOf(' ') + 1);
  const start = term.slice(0, term.length - last.length);
  const singulars = ENDINGS.flatMap(([ending, replacement]) =>
    last.length > 3 && ending.test(last) ? [last.replace(ending, replacement)] : [],
  );
  return [last, IRREGULAR[last] ?? last, ...singulars].map((one) => start + one);
}

type Dictionary = ReadonlyMap<string, string>;

/** English by word; of Japanese, both ways to write one in Kana. */
function createDictionary(entries: Readonly<Record<string, string>>, language: string): Dictionary {
  const all = Object.entries(entries).map(([word, english]): [string, string] => [
    UNSPACED.has(language) ? word.replaceAll(' ', '') : word,
    english,
  ]);
  if (language !== 'ja') return new Map(all);
  const kana = all.map(([word, english]): [string, string] => [toHiragana(word), english]);
  return new Map([...kana, ...all]);
}

const INFLECTED = 0.9;
/** Only the last part of a compound is known. */
export const COMPOUND_CERTAINTY = 0.7;

function findTranslation(
  dictionary: Dictionary,
  term: string,
  language: string,
): Translation | undefined {
  const exact = dictionary.get(term) ?? (language === 'ja' && dictionary.get(toHiragana(term)));
  if (exact) return { english: exact, certainty: 1 };
  const [inflected] = listInflected(dictionary, term, language);
  if (inflected !== undefined) return { english: inflected, certainty: INFLECTED };
  for (const head of term.includes(' ') ? [] : listHeads(term, language)) {
    const english = dictionary.get(head) ?? listInflected(dictionary, head, language)[0];
    if (english !== undefined) return { english, certainty: COMPOUND_CERTAINTY };
  }
  return undefined;
}

/** Each word of a term may be inflected: rosse mele, osos polares. */
function listInflected(dictionary: Dictionary, term: string, language: string): string[] {
  const words = term.split(' ');
  if (words.length > MAX_INFLECTED_WORDS) return [];
  let forms = [''];
  for (const word of words) {
    const all = [word, ...listBaseForms(word, language)];
    forms = forms.flatMap((start) => all.map((form) => (start === '' ? form : `${start} ${form}`)));
  }
  return forms.flatMap((form) => dictionary.get(form) ?? []);
}

/** More of them have too many forms. */
const MAX_INFLECTED_WORDS = 2;
