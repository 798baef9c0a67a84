import { definePeriodicJob } from '../../jobs/define.ts';

/** Writes down the size of the library of today. */
export const recordLibrarySize = definePeriodicJob({
  name: 'server.recordLibrarySize',
  attempts: 3,
  everyMinutes: 12 * 60,
});

/** Measures what files take, by account and kind. */
export const measureStorage = definePeriodicJob({
  name: 'server.measureStorage',
  attempts: 3,
  everyMinutes: 12 * 60,
});

/** Tells administrators when the disk of the library is nearly full. */
export const checkDiskSpace = definePeriodicJob({
  name: 'server.checkDiskSpace',
  attempts: 1,
  everyMinutes: 10,
});
