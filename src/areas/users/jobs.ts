import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Removes accounts whose time is over, with everything they have. */
export const removeAccounts = defineJob({
  name: 'users.removeAccounts',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 5,
  everyMinutes: 60,
  uniqueKey: () => 'all',
});
