import type { Result } from './results.ts';

/** A test that failed, and how it ended when its file ran once more, alone. */
export type Failure = {
  readonly file: string;
  readonly name: string;
  readonly error: string;
  /** Undefined if it did not run again. */
  readonly again: Result['outcome'] | undefined;
  readonly errorAgain: string;
};

export type Verdict = {
  readonly passed: number;
  /** Names of tests. */
  readonly skipped: readonly string[];
  readonly failed: readonly Failure[];
  /** They failed in one of two runs. */
  readonly unstable: readonly Failure[];
};

export const formatName = ({ file, name }: Pick<Result, 'file' | 'name'>): string =>
  `${file}: ${name}`;

/**
 * Judges a run: `again` holds the results of files that ran once more, alone. A test that failed in both has failed, one
 * that failed in one is unstable; if it is in `known` (unstable in an earlier run, see `formatName`), it has failed, too.
 */
export function judge(
  first: readonly Result[],
  again: readonly Result[],
  known: ReadonlySet<string>,
): Verdict {
  const ranAgain = new Set(again.map(({ file }) => file));
  const broken = new Set(again.filter(isFailed).map(({ file }) => file));
  const [before, after] = [groupByName(first), groupByName(again)];
  const names = new Set([...first, ...again].filter(isFailed).map(formatName));
  const failures = [...names].map((name): Failure => {
    const [one, two] = [before.get(name), after.get(name)];
    const { file, name: title } = (one ?? two)!;
    // A hook, or the whole file, has no result where it does not fail.
    const isWell = title.endsWith(')') && ranAgain.has(file) && !broken.has(file);
    return {
      file,
      name: title,
      error: one?.error ?? '',
      again: two?.outcome ?? (isWell ? 'passed' : undefined),
      errorAgain: two?.error ?? '',
    };
  });
  const isUnstable = (failure: Failure) => {
    const name = formatName(failure);
    const hasPassed = failure.again === 'passed' || before.get(name)?.outcome === 'passed';
    return hasPassed && !known.has(name);
  };
  const failed = failures.filter((failure) => !isUnstable(failure));
  const unstable = failures.filter(isUnstable);
  const last = [...first.filter(({ file }) => !ranAgain.has(file)), ...again];
  const list = (outcome: Result['outcome']) =>
    last.filter((result) => result.outcome === outcome).map(({ name }) => name);
  const passedOnce = unstable.filter((failure) => failure.again === 'failed').length;
  const knownOnes = failed.filter((failure) => failure.again === 'passed').length;
  return {
    passed: list('passed').length + passedOnce - knownOnes,
    skipped: list('skipped'),
    failed,
    unstable,
  };
}

const isFailed = ({ outcome }: Result): boolean => outcome === 'failed';

/** Tests of one name are one that failed if any of them did. */
function groupByName(results: readonly Result[]): ReadonlyMap<string, Result> {
  const byName = new Map<string, Result>();
  for (const result of results) {
    const name = formatName(result);
    if (byName.get(name)?.outcome !== 'failed') byName.set(name, result);
  }
  return byName;
}
