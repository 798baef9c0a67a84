// bun native/label-words.ts WORDNET CLDR: writes the words by which labels are found, from the folders of two npm
// packages (make label-words). WordNet tells what a label is a kind of and its other names; the annotations of CLDR
// name the same emoji in every language.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toTerm } from '../src/areas/search/match/words.ts';
import { getFirst, requireValue } from '../src/core/required.ts';
import { COLOURS, EVERYDAY, listSenses, MISLEADING, SCENES, SPECIAL } from './label-senses.ts';
import { type LabelSense, readWordNet, type WordNet } from './wordnet.ts';

const FOLDER = join(import.meta.dir, '../src/areas/search/labels');
/** The languages of the page but English, by their names in CLDR. */
const LANGUAGES = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'zh'] as const;
/** Russian is no language of the page, but people ask in it. */
const ASKED = [...LANGUAGES, 'ru'] as const;

/** Kinds of more than this share of all labels are nothing that anybody looks for: artifacts, things. */
const MAX_SHARE = 0.42;

/** Rarer senses of a word than its second are not what is looked for, unless a label has them itself. */
const MAX_RANK = 1;
const MAX_OWN_RANK = 3;

/** Returns the labels that each term finds, as indexes of `keys`. */
function findTerms(wordNet: WordNet, senses: readonly LabelSense[], keys: readonly string[]) {
  const kinds = new Map<string, Set<number>>();
  const add = <K>(map: Map<K, Set<number>>, key: K, value: number) =>
    map.set(key, (map.get(key) ?? new Set()).add(value));
  for (const { key, sense } of senses)
    for (const kind of wordNet.listKinds(sense)) add(kinds, kind, keys.indexOf(key));
  for (const [kind, labels] of kinds) if (labels.size > MAX_SHARE * keys.length) kinds.delete(kind);
  const meanings = new Map<string, Map<string, number>>();
  for (const kind of kinds.keys()) {
    for (const name of wordNet.listNames(kind)) {
      const term = toTerm(name);
      const ranks = meanings.get(term) ?? new Map<string, number>();
      meanings.set(term, ranks.set(kind, wordNet.rankSense(name, kind)));
    }
  }
  // And what these are a kind of at once.
  const own = new Set(senses.flatMap(({ sense }) => [sense, ...wordNet.listParents(sense)]));
  const terms = new Map<string, Set<number>>();
  for (const [term, ranks] of meanings) {
    const first = Math.min(...ranks.values());
    for (const [kind, rank] of ranks)
      if ((own.has(kind) && rank <= MAX_OWN_RANK) || rank === Math.min(first, MAX_RANK))
        for (const label of kinds.get(kind) ?? []) add(terms, term, label);
  }
  for (const { key, name } of senses) add(terms, toTerm(name), keys.indexOf(key));
  for (const [colour, names] of Object.entries(COLOURS))
    for (const name of names) add(terms, name, keys.indexOf(`colours:${colour}`));
  for (const [scene, names] of Object.entries(SCENES))
    for (const name of names) add(terms, name, keys.indexOf(`scenes:${scene}`));
  for (const [term, labels] of Object.entries(EVERYDAY))
    for (const label of labels) add(terms, term, keys.indexOf(label));
  for (const [special, general] of Object.entries(SPECIAL))
    for (const label of requireValue(terms.get(general), `term ${general}`))
      add(terms, special, label);
  addSpecies(wordNet, senses, { terms, keys });
  for (const term of MISLEADING) terms.delete(term);
  return terms;
}

/** Adds what is a kind of a label and has no other meaning: a honeybee is a bee. */
function addSpecies(
  wordNet: WordNet,
  senses: readonly LabelSense[],
  { terms, keys }: { readonly terms: Map<string, Set<number>>; readonly keys: readonly string[] },
): void {
  const labels = Map.groupBy(senses, ({ sense }) => sense);
  for (const { sense, parents, names } of wordNet.listAll()) {
    const found = parents.flatMap((parent) => labels.get(parent) ?? []);
    for (const name of found.length > 0 ? names : []) {
      const term = toTerm(name);
      if (terms.has(term) || !wordNet.isOnlySense(name, sense)) continue;
      terms.set(term, new Set(found.map(({ key }) => keys.indexOf(key))));
    }
  }
}

/** Returns nouns of two words that no label shows, though it shows the first: a swimming pool is no swimming. */
function listCompounds(wordNet: WordNet, terms: readonly (readonly [string, string])[]): string[] {
  const known = new Set(terms.map(([term]) => term));
  const compounds = wordNet.listAll().flatMap(({ names }) =>
    names
      .filter((name) => /^[a-z]+ [a-z]+$/.test(name))
      .map(toTerm)
      .filter((term) => {
        const [first = '', last = ''] = term.split(' ');
        return known.has(first) && !known.has(last) && !known.has(term);
      }),
  );
  return [...new Set(compounds)].sort();
}

type Annotations = Readonly<
  Record<string, { readonly default?: readonly string[]; readonly tts?: readonly string[] }>
>;

const readAnnotations = (cldr: string, language: string): Annotations => {
  const path = join(cldr, 'annotations', language, 'annotations.json');
  const file = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly annotations: { readonly annotations: Annotations };
  };
  return file.annotations.annotations;
};

/** Overlap (Dice) of the emoji of two words from which on one translates the other. */
const MIN_OVERLAP = 0.5;
const MIN_SHARED = 2;

/** Returns the English word for each word of a language: of the emoji with that name, else of about the same emoji. */
function translate(foreign: Annotations, english: Annotations): Record<string, string> {
  const shared = Object.keys(foreign).filter((emoji) => english[emoji]);
  const getName = (words: Annotations, emoji: string) => toTerm(words[emoji]?.tts?.[0] ?? '');
  const listEmoji = (words: Annotations) => {
    const found = new Map<string, Set<string>>();
    for (const emoji of shared) {
      const { default: keywords = [], tts = [] } = words[emoji] ?? {};
      for (const term of new Set([...keywords, ...tts].map(toTerm)))
        found.set(term, (found.get(term) ?? new Set()).add(emoji));
    }
    return found;
  };
  const [theirs, ours] = [listEmoji(foreign), listEmoji(english)];
  const translations: Record<string, string> = {};
  for (const [term, emoji] of theirs) {
    const named = [...emoji].find((one) => getName(foreign, one) === term);
    const found = named ? getName(english, named) : findSimilar(emoji, ours);
    if (term && found) translations[term] = found;
  }
  return translations;
}

/** Returns the word that has about the same emoji. */
function findSimilar(
  emoji: ReadonlySet<string>,
  words: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  let best: string | undefined;
  let most = MIN_OVERLAP;
  for (const [word, others] of words) {
    const common = emoji.intersection(others).size;
    const overlap = (2 * common) / (emoji.size + others.size);
    if (common < MIN_SHARED || overlap < most || (overlap === most && best)) continue;
    best = word;
    most = overlap;
  }
  return best;
}

type Row = { readonly english: string; readonly words: readonly string[] };

/** Reads the words of a table of ours by language: those for what English calls the same. */
function readTable(name: string): (language: string) => Row[] {
  const file = readFileSync(join(import.meta.dir, name), 'utf8');
  const [head = [], ...rows] = file
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  return (language) =>
    rows.map((row) => {
      const english = getFirst(row);
      const words = requireValue(row[head.indexOf(language)], `${english} in ${language}`);
      return { english, words: words.split('/') };
    });
}

/** Returns the English by word: the first of several meanings counts. */
const toDictionary = (rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(
    rows
      .flatMap(({ english, words }) =>
        words.map((word): [string, string] => [toTerm(word), toTerm(english)]),
      )
      .toReversed(),
  );

/** Writes numbers in order, ranges as '3-7'. */
function toRanges(numbers: Iterable<number>): string {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join();
}

const sorted = <V>(entries: Iterable<[string, V]>) =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const write = (name: string, value: object) =>
  writeFileSync(join(FOLDER, name), JSON.stringify(value));

const [wordNetFolder, cldrFolder, labelsFile] = process.argv.slice(2);
if (!wordNetFolder || !cldrFolder || !labelsFile)
  throw new Error('usage: bun native/label-words.ts WORDNET CLDR LABELS');
const wordNet = readWordNet(join(wordNetFolder, 'dict'));
// The first class is the background.
const tagLabels = readFileSync(labelsFile, 'utf8').trim().split('\n').slice(1);
const senses = listSenses(wordNet, tagLabels);
const colours = Object.keys(COLOURS).map((colour) => `colours:${colour}`);
const scenes = Object.keys(SCENES).map((scene) => `scenes:${scene}`);
const keys = [...new Set([...senses.map(({ key }) => key), ...colours, ...scenes])];
const terms = [...findTerms(wordNet, senses, keys)].map(([term, labels]): [string, string] => [
  term,
  toRanges(labels),
]);
write('words.json', {
  labels: keys,
  terms: sorted(terms),
  compounds: listCompounds(wordNet, terms),
});
const english = readAnnotations(cldrFolder, 'en');
// Words for what people photograph: CLDR has no emoji of some, and other meanings of others.
const readWords = readTable('label-translations.tsv');
const readNames = readTable('label-names.tsv');
const shown = new Set(terms.map(([term]) => term));
const translations = ASKED.map((language): [string, object] => {
  const found = translate(readAnnotations(cldrFolder, language), english);
  const known = { ...found, ...toDictionary(readWords(language)) };
  // The name of a label is also a word for it, unless the word is known for more: a Krokodil is any crocodile.
  const names = language === 'ru' ? [] : Object.entries(toDictionary(readNames(language)));
  const added = names.filter(([word]) => !shown.has(known[word] ?? ''));
  return [language, sorted([...Object.entries(known), ...added])];
});
write('translations.json', Object.fromEntries(translations));
const names = LANGUAGES.map((language): [string, object] => {
  const rows = readNames(language).map(({ english: label, words }): [string, string] => [
    label.toLowerCase(),
    getFirst(words),
  ]);
  return [language, sorted(rows)];
});
write('names.json', Object.fromEntries(names));
