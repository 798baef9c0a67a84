import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the counts of finished jobs, deletes cancelled jobs and old runs. */
export const cleanUpQueue = definePeriodicJob({
  name: 'jobs.cleanUp',
  attempts: 1,
  everyMinutes: 10,
});

/** Tells administrators of jobs that have failed for good. */
export const reportFailures = definePeriodicJob({
  name: 'jobs.reportFailures',
  attempts: 3,
  everyMinutes: 5,
});
