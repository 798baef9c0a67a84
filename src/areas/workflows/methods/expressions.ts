import type { WorkflowStep } from '../../../db/tables/workflows.ts';

/** Returns the number of regular expressions in the configurations of steps, also within groups of filters. */
export const countExpressions = (steps: readonly WorkflowStep[]): number => countWithin(steps);

function countWithin(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = 'matchType' in value && value.matchType === 'regex' ? 1 : 0;
  return Object.values(value).reduce((sum: number, one) => sum + countWithin(one), own);
}
