import type { Result } from './results.ts';

/**
 * Returns why a test was skipped, by its name with those of its groups (`support/requirements.ts`); undefined if they do
 * not say.
 */
function findReason(name: string): string | undefined {
  const reasons = new Set(
    [...name.matchAll(/\[skipped: ([^\]]+)\]/g)].map(([, reason]) => reason!),
  );
  return reasons.size > 0 ? [...reasons].join(' and ') : undefined;
}

/**
 * Returns the results with each test that was skipped without a reason as one that failed. If flags chose tests by name,
 * the others are reported as skipped: they are left out.
 */
export function refuseUnexplained(
  results: readonly Result[],
  flags: readonly string[] = [],
): Result[] {
  const isChosen = flags.some((flag) => /^(-t|--test-name-pattern)/.test(flag));
  return results.flatMap((result): Result | readonly Result[] => {
    if (result.outcome !== 'skipped' || findReason(result.name)) return result;
    return isChosen ? [] : { ...result, outcome: 'failed', error: 'Skipped without a reason.' };
  });
}

/** Returns a line with the number of skipped tests by reason, most first; none without such tests. */
export function formatSkipped(names: readonly string[]): string[] {
  const byReason = Map.groupBy(names, (name) => findReason(name) ?? 'no reason');
  const counts = [...byReason]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, { length }]) => `${length} skipped: ${reason}`);
  return counts.length > 0 ? [counts.join('; ')] : [];
}
