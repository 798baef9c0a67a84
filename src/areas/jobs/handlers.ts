import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import type { cleanUpQueue } from './jobs.ts';
import { deleteRunsBefore, foldRunCounts } from './runs/runs.store.ts';
import { foldFinishedJobs, deleteCancelledJobs } from './store.ts';

const RETENTION_MS = 90 * 24 * 60 * 60_000;

export const handleCleanUpQueue: JobHandler<typeof cleanUpQueue> = async (ctx) => {
  const before = new Date(ctx.now().getTime() - RETENTION_MS);
  await runThrottled(ctx, () => deleteRunsBefore(ctx.db, before));
  return async (tx) => {
    await foldFinishedJobs(tx);
    await foldRunCounts(tx);
    await deleteCancelledJobs(tx);
  };
};
