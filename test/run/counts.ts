import { formatSkipped } from './skipped.ts';

/** What the tests of a folder came to. */
export type Counts = {
  readonly passed: number;
  readonly failed: number;
  /** Their names. */
  readonly skipped: readonly string[];
};

/** Returns what the output of `bun test` counts at its end. */
export function readCounts(output: string, code: number): Counts {
  const count = (word: string) =>
    Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0);
  const failed = count('fail') + count('errors?');
  return {
    passed: count('pass'),
    // A runner that broke without counting has failed, whatever it ran before.
    failed: failed + (code !== 0 && failed === 0 ? 1 : 0),
    skipped: [...output.matchAll(/^\((?:skip|todo)\) (.*)$/gm)].map(([, name]) => name!),
  };
}

/** Returns the last lines of a run: the reasons of skipped tests, and the counts. */
export function formatCounts(...all: readonly Counts[]): string {
  const sum = (key: 'passed' | 'failed') => all.reduce((total, counts) => total + counts[key], 0);
  const skipped = all.flatMap((counts) => counts.skipped);
  const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  return [
    ...formatSkipped(skipped),
    `${sum('passed')} passed, ${sum('failed')} failed${tail}`,
  ].join('\n');
}
