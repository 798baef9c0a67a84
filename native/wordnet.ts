import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getFirst } from '../src/core/required.ts';

// The nouns of WordNet (https://wordnet.princeton.edu), from its database files: wndb(5WN).

/** A label of a model, and the sense (the number of a synset) that it has. */
export type LabelSense = { readonly key: string; readonly name: string; readonly sense: string };

export type WordNet = {
  /**
   * Returns the sense of a name in the first of the subjects that has one: that which also has the name `near` or is a
   * kind of it; else that which it names first.
   */
  readonly findSense: (
    name: string,
    subjects: readonly Subject[],
    near?: string,
  ) => string | undefined;
  /** Returns a sense and all that it is a kind of. */
  readonly listKinds: (sense: string) => ReadonlySet<string>;
  /** Returns what a sense is a kind of at once. */
  readonly listParents: (sense: string) => readonly string[];
  readonly listNames: (sense: string) => readonly string[];
  readonly listAll: () => {
    readonly sense: string;
    readonly parents: readonly string[];
    readonly names: readonly string[];
  }[];
  /** Whether a name has this sense and no other. */
  readonly isOnlySense: (name: string, sense: string) => boolean;
  /** Returns the place of a sense among those of a name: 0 for the most frequent one. */
  readonly rankSense: (name: string, sense: string) => number;
};

/** Lexicographer files, by their numbers: lexnames(5WN). */
const SUBJECTS = {
  top: '03',
  animal: '05',
  artifact: '06',
  communication: '10',
  food: '13',
  object: '17',
  person: '18',
  plant: '20',
  substance: '27',
};
export type Subject = keyof typeof SUBJECTS;

type Synset = {
  readonly subject: string;
  readonly names: readonly string[];
  readonly kinds: readonly string[];
};

export function readWordNet(folder: string): WordNet {
  const synsets = new Map(readLines(folder, 'data.noun').map(parseSynset));
  const senses = new Map(readLines(folder, 'index.noun').map(parseIndex));
  const get = (name: string) => senses.get(name.toLowerCase()) ?? [];
  const listKinds = (sense: string, found = new Set<string>()): Set<string> => {
    if (found.has(sense)) return found;
    found.add(sense);
    for (const kind of synsets.get(sense)?.kinds ?? []) listKinds(kind, found);
    return found;
  };
  return {
    listKinds,
    listParents: (sense) => synsets.get(sense)?.kinds ?? [],
    listNames: (sense) => synsets.get(sense)?.names ?? [],
    listAll: () =>
      [...synsets].map(([sense, { kinds, names }]) => ({ sense, parents: kinds, names })),
    isOnlySense: (name, sense) => get(name).length === 1 && get(name)[0] === sense,
    rankSense(name, sense) {
      const rank = get(name).indexOf(sense);
      return rank < 0 ? Infinity : rank;
    },
    findSense(name, subjects, near) {
      const isFirst = (sense: string) =>
        synsets.get(sense)?.names[0]?.toLowerCase() === name.toLowerCase();
      const isNear = (sense: string, other: string) =>
        [...listKinds(sense)].some((kind) => synsets.get(kind)?.names.includes(other));
      for (const subject of subjects) {
        const found = get(name).filter((one) => synsets.get(one)?.subject === SUBJECTS[subject]);
        const sense = near
          ? found.find((one) => isNear(one, near))
          : (found.find(isFirst) ?? found[0]);
        if (sense) return sense;
      }
      return undefined;
    },
  };
}

/** The lines but the licence, which is indented. */
const readLines = (folder: string, file: string): string[] =>
  readFileSync(join(folder, file), 'latin1')
    .split('\n')
    .filter((line) => /^\S/.test(line));

const toName = (word: string) => word.replaceAll('_', ' ');

/** Number, file, type, count of names (hexadecimal), names with ids, count of pointers, pointers of four fields. */
function parseSynset(line: string): [string, Synset] {
  const [sense, subject, , count, ...fields] = getFirst(line.split(' | ')).trim().split(' ');
  if (!sense || !subject || !count) throw new Error(`No synset: ${line}`);
  const end = 2 * Number.parseInt(count, 16);
  const names = fields.slice(0, end).filter((_, at) => at % 2 === 0);
  const pointers = fields.slice(end + 1);
  const kinds = pointers.filter(
    (_, at) => at % 4 === 1 && pointers[at - 1] === '@' && pointers[at + 1] === 'n',
  );
  return [sense, { subject, names: names.map(toName), kinds }];
}

/** The senses come last, the most frequent first. */
function parseIndex(line: string): [string, string[]] {
  const fields = line.trim().split(' ');
  return [toName(getFirst(fields)), fields.slice(-Number(fields[2]))];
}
