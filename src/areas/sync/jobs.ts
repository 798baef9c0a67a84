import { definePeriodicJob } from '../../jobs/define.ts';

/** Deletes superseded and expired changes from the change log. */
export const compactChanges = definePeriodicJob({
  name: 'sync.compact',
  attempts: 1,
  everyMinutes: 6 * 60,
});
