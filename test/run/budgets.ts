import type { UsageTable } from './table.ts';

/** Processor time that a file of tests may take in a quick run on a quiet machine of two cores. */
const BUDGET_S = 30;

/** Files that may take more, in seconds, each with its reason. */
const LARGER: Readonly<Record<string, { readonly seconds: number; readonly reason: string }>> = {
  'test/crash/operations.test.ts': {
    seconds: 40,
    reason: 'each kind of operation is killed and started again in processes of its own',
  },
  'test/e2e/page-look.test.ts': { seconds: 50, reason: 'every page in light and in dark' },
  'test/growth.test.ts': { seconds: 40, reason: 'a library of 160,000 assets is filled and read' },
  'test/e2e/page-memories-film.test.ts': { seconds: 40, reason: 'a film has 600 frames of 1080p' },
};

/**
 * A machine that takes longer for the same work, as a multiple of a quiet one, is no judge: servers and browsers suffer
 * more from neighbours than the small work that is measured.
 */
const MAX_SLOWNESS = 1.2;
/** The same work takes so many times as long while the other core works, which the small work does not show. */
const NEIGHBOUR = 1.5;

/** Returns a line for every file that took more than it may, on a quiet machine. */
export const listOverruns = ({ files, slowness }: Omit<UsageTable, 'tests'>): string[] =>
  files.flatMap(({ file, cpuMs }) => {
    if (slowness > MAX_SLOWNESS) return [];
    const budget = (LARGER[file]?.seconds ?? BUDGET_S) * NEIGHBOUR * slowness;
    const took = cpuMs / 1000;
    if (took <= budget) return [];
    return [
      `${file} took ${took.toFixed(0)} s of CPU, more than its budget of ${budget.toFixed(0)} s (test/run/budgets.ts)`,
    ];
  });
