import { definePeriodicJob } from '../../jobs/define.ts';

/** Deletes old notifications and devices that have not been used for long. */
export const cleanNotifications = definePeriodicJob({
  name: 'notifications.clean',
  attempts: 3,
  everyMinutes: 24 * 60,
});
