import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the sums of finished jobs, and forgets cancelled ones. */
export const tidyQueue = definePeriodicJob({
  name: 'jobs.tidy',
  attempts: 1,
  everyMinutes: 10,
});
