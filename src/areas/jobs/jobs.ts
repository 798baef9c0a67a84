import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the counts of finished jobs and deletes cancelled jobs. */
export const cleanUpQueue = definePeriodicJob({
  name: 'jobs.cleanUp',
  attempts: 1,
  everyMinutes: 10,
});
