import { definePeriodicJob } from '../../jobs/define.ts';

/** Deletes memories that nobody saved, and those that the owner deleted, after a while. */
export const cleanMemories = definePeriodicJob({
  name: 'memories.clean',
  attempts: 3,
  everyMinutes: 24 * 60,
});
