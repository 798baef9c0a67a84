import { definePeriodicJob } from '../../jobs/define.ts';

/** Drops what the log of changes says twice, and what is too old to be asked for. */
export const compactChanges = definePeriodicJob({
  name: 'sync.compact',
  attempts: 1,
  everyMinutes: 6 * 60,
});
