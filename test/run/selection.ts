import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

/** The tiers of the tests, and the paths of their files: of the first one that fits. The last has what is of no other. */
const TIERS = {
  pages: [/^test\/e2e\/page-/],
  crash: [
    /^test\/(crash\/|growth)/,
    /^src\/(maintenance\/|commands\/restore)/,
    /-faults\.test\.ts$/,
  ],
  test: [/^/],
} as const satisfies Record<string, readonly RegExp[]>;

export type Tier = keyof typeof TIERS;

/** The target of `make` that runs each selection. */
const COMMANDS = {
  test: 'test',
  pages: 'test-pages',
  crash: 'test-crash',
  all: 'test-full',
} as const;

export type Selection = {
  readonly tier: Tier | 'all';
  /** As given, or `1`: files and the tests of each are run in an order, and choose at random, by it. */
  readonly seed: string;
  /** Parts of paths; none is the whole tier. */
  readonly paths: readonly string[];
  /** Flags of `bun test`, as `-t name`. */
  readonly flags: readonly string[];
};

/**
 * Reads the words of a command line: `--tier=pages`, `--seed=7` or `--seed=random`, parts of paths, and flags of
 * `bun test`. Throws for a tier that does not exist.
 */
export function parseWords(words: readonly string[], isFull: boolean): Selection {
  const values = new Map<string, string>();
  const [paths, flags]: [string[], string[]] = [[], []];
  for (const word of words) {
    const [, name, value] = /^--(seed|tier)=(.+)$/.exec(word) ?? [];
    if (name) values.set(name, value!);
    // The name of a test follows its flag.
    else if (word.startsWith('-') || flags.at(-1) === '-t') flags.push(word);
    else paths.push(word);
  }
  const tier = values.get('tier') ?? 'test';
  if (!(tier in COMMANDS)) throw new Error(`There is no tier '${tier}'.`);
  const seed = values.get('seed') ?? (isFull ? 'random' : '1');
  return {
    tier: tier as Selection['tier'],
    seed: seed === 'random' ? String(crypto.getRandomValues(new Uint32Array(1))[0]) : seed,
    paths,
    flags,
  };
}

/** Returns the tier of a file of tests, by its path below the root. */
export const getTier = (file: string): Tier =>
  (Object.keys(TIERS) as Tier[]).find((tier) => TIERS[tier].some((path) => path.test(file)))!;

/** Returns the files of tests to run. Paths that are named without a tier are of any. */
export function listFiles({ tier, paths }: Selection): string[] {
  const isWanted =
    tier === 'all' || (tier === 'test' && paths.length > 0)
      ? () => true
      : (file: string) => getTier(file) === tier;
  return globSync('{src,native,workers,migrations,appliance,test}/**/*.test.{ts,tsx}', {
    cwd: ROOT,
  })
    .filter(isWanted)
    .filter((file) => paths.length === 0 || paths.some((path) => file.includes(path)))
    .toSorted();
}

/** Returns the command that runs these files, or the whole selection, once more in the same order. */
export function formatCommand(selection: Selection, files = selection.paths): string {
  const words = [`--seed=${selection.seed}`, ...files, ...selection.flags];
  return `make ${COMMANDS[selection.tier]} ARGS='${words.join(' ')}'`;
}

/** Targets that are made before tests that import the helper which uses them. */
const NEEDS: Readonly<Record<string, string>> = {
  'test/support/program.ts': 'dist/safelight',
  'test/e2e/installed.ts': 'dist/safelight',
  'test/support/models.ts': 'models',
};

/** Returns the targets of `make` that these files need. */
export function listNeeds(files: readonly string[]): string[] {
  const seen = new Set<string>();
  const pending = [...files];
  for (let file = pending.pop(); file; file = pending.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    // Nothing below `src` needs them.
    pending.push(...listImports(file).filter((path) => path.startsWith('test/')));
  }
  const needs = [...seen].flatMap((file) => NEEDS[file] ?? []);
  return [...new Set(needs)];
}

const transpilers = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
};

/** Returns the files of the project that a file imports itself, without those of types only. */
export function listImports(file: string): string[] {
  const path = join(ROOT, file);
  if (!/\.tsx?$/.test(file) || !existsSync(path)) return [];
  const transpiler = transpilers[file.endsWith('x') ? 'tsx' : 'ts'];
  return transpiler
    .scanImports(readFileSync(path, 'utf8'))
    .filter((found) => found.path.startsWith('.'))
    .map((found) => relative(ROOT, join(dirname(path), found.path)));
}
