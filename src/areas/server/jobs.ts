import { definePeriodicJob } from '../../jobs/define.ts';

/** Tells administrators when the disk of the library is nearly full. */
export const checkDiskSpace = definePeriodicJob({
  name: 'server.checkDiskSpace',
  attempts: 1,
  everyMinutes: 10,
});
