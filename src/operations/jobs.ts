import { definePeriodicJob } from '../jobs/define.ts';

/** Expires unconfirmed operations, deletes old ones, enqueues those whose job was lost. */
export const cleanOperations = definePeriodicJob({
  name: 'operations.clean',
  attempts: 3,
  everyMinutes: 60,
});
