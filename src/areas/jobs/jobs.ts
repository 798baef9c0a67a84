import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Folds the sums of finished jobs, and forgets cancelled ones. */
export const tidyQueue = defineJob({
  name: 'jobs.tidy',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 10,
  uniqueKey: () => 'all',
});
