import type { JobHandler } from '../../jobs/define.ts';
import type { tidyQueue } from './jobs.ts';
import { foldFinishedJobs, deleteCancelledJobs } from './store.ts';

export const handleTidy: JobHandler<typeof tidyQueue> = () =>
  Promise.resolve(async (tx) => {
    await foldFinishedJobs(tx);
    await deleteCancelledJobs(tx);
  });
