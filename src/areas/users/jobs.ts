import { definePeriodicJob } from '../../jobs/define.ts';

/** Removes accounts whose time is over, with everything they have. */
export const removeAccounts = definePeriodicJob({
  name: 'users.removeAccounts',
  attempts: 5,
  everyMinutes: 60,
});
