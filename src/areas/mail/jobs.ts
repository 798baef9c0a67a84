import { definePeriodicJob } from '../../jobs/define.ts';

/** Sends the mail that is due; deletes old messages. */
export const deliverMail = definePeriodicJob({
  name: 'mail.deliver',
  queue: 'notifications',
  attempts: 3,
  everyMinutes: 5,
});
