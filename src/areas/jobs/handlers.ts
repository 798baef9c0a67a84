import type { JobHandler } from '../../jobs/define.ts';
import type { cleanUpQueue } from './jobs.ts';
import { foldFinishedJobs, deleteCancelledJobs } from './store.ts';

export const handleCleanUpQueue: JobHandler<typeof cleanUpQueue> = () =>
  Promise.resolve(async (tx) => {
    await foldFinishedJobs(tx);
    await deleteCancelledJobs(tx);
  });
