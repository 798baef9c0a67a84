import type { JobHandler } from '../../../jobs/define.ts';
import { createFoldHandler } from '../../../jobs/fold.ts';
import { findUnfoldedMonths, foldMonths } from './counts.store.ts';
import type { foldCounts, storeSummaries } from '../jobs.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { DAYS } from './days.store.ts';
import { FACT_SUMMARIES } from './facts.store.ts';
import { FOLDERS } from './folders.store.ts';
import { storeStale } from './month-summaries.ts';

export const handleFoldCounts: JobHandler<typeof foldCounts> = createFoldHandler(
  findUnfoldedMonths,
  foldMonths,
);

/** A request counts only months that have changed since. */
export const handleStoreSummaries: JobHandler<typeof storeSummaries> = async (ctx) => {
  for (const summary of [DAYS, FOLDERS, ...FACT_SUMMARIES]) {
    const steps = storeStale(ctx, summary);
    await runThrottled(ctx, async () => (await steps.next()).done !== true);
  }
};
