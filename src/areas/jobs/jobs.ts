import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the counts of finished jobs and deletes cancelled jobs. */
export const tidyQueue = definePeriodicJob({
  name: 'jobs.tidy',
  attempts: 1,
  everyMinutes: 10,
});
