import { definePeriodicJob } from '../../jobs/define.ts';

/** Deletes accounts whose restore period has ended, with all their data. */
export const removeAccounts = definePeriodicJob({
  name: 'users.removeAccounts',
  attempts: 5,
  everyMinutes: 60,
});
