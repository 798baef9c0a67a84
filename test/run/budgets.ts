import type { UsageTable } from './table.ts';

/** Processor time that a file of tests may take in a quick run on a quiet machine of two cores. */
const BUDGET_S = 30;

/** Files that may take more, in seconds, each with its reason. */
const LARGER: Readonly<Record<string, { readonly seconds: number; readonly reason: string }>> = {
  'test/e2e/failed-update.test.ts': {
    seconds: 60,
    reason: 'another binary is built, and starts often',
  },
  'test/e2e/page-memories-film.test.ts': { seconds: 45, reason: 'a film has 600 frames of 1080p' },
};

/** Returns a line for every file that took more than it may; a slow or busy machine has more. */
export const listOverruns = ({ files, slowness }: Omit<UsageTable, 'tests'>): string[] =>
  files.flatMap(({ file, cpuMs }) => {
    const budget = (LARGER[file]?.seconds ?? BUDGET_S) * slowness;
    const took = cpuMs / 1000;
    if (took <= budget) return [];
    return [
      `${file} took ${took.toFixed(0)} s of CPU, more than its budget of ${budget.toFixed(0)} s (test/run/budgets.ts)`,
    ];
  });
