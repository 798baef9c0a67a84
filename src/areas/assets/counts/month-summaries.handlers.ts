import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import type { storeSummaries } from '../jobs.ts';
import { DAYS } from './days.store.ts';
import { FACT_SUMMARIES } from './facts.store.ts';
import { FOLDERS } from './folders.store.ts';
import { storeStale } from './month-summaries.ts';

/** A request counts only months that have changed since. */
export const handleStoreSummaries: JobHandler<typeof storeSummaries> = async (ctx) => {
  for (const summary of [DAYS, FOLDERS, ...FACT_SUMMARIES]) {
    const steps = storeStale(ctx, summary);
    await runThrottled(ctx, async () => (await steps.next()).done !== true);
  }
};
