import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
/** The last runs of each tier on this machine. */
const RUNS = join(ROOT, '.cache/tests/runs.json');
const KEPT = 10;

export type PastRun = {
  readonly tier: string;
  readonly seed: string;
  readonly at: string;
  /** Each as `file: name`. */
  readonly unstable: readonly string[];
};

export function readRuns(path = RUNS): readonly PastRun[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as PastRun[];
  } catch {
    return [];
  }
}

/** Adds a run of a whole tier. The last ten of each tier are kept. */
export function addRun(run: PastRun, path = RUNS): void {
  const runs = readRuns(path);
  const ofTier = [...runs.filter(({ tier }) => tier === run.tier), run].slice(-KEPT);
  mkdirSync(dirname(path), { recursive: true });
  const others = runs.filter(({ tier }) => tier !== run.tier);
  writeFileSync(path, JSON.stringify([...others, ...ofTier], null, 1));
}

/** Returns the tests that were unstable in one of the nine runs of a tier before this one, or that `listed` names. */
export const listKnown = (
  tier: string,
  runs: readonly PastRun[],
  listed: readonly string[],
): ReadonlySet<string> =>
  new Set([
    ...runs
      .filter((run) => run.tier === tier)
      .slice(1 - KEPT)
      .flatMap(({ unstable }) => unstable),
    ...listed,
  ]);

/** Returns the tests in the first column of the table of test/unstable.md, each as `file: name`. */
export const parseUnstable = (text: string): string[] =>
  [...text.matchAll(/^\| `(.+?)` +\|/gm)].map(([, name]) => name!);

export const readUnstable = (): string[] =>
  parseUnstable(readFileSync(join(ROOT, 'test/unstable.md'), 'utf8'));
