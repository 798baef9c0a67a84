import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Writes down the size of the library of today. */
export const recordLibrarySize = definePeriodicJob({
  name: 'server.recordLibrarySize',
  attempts: 3,
  everyMinutes: 12 * 60,
});

/** Tells administrators when the disk of the library is nearly full. */
export const checkDiskSpace = definePeriodicJob({
  name: 'server.checkDiskSpace',
  attempts: 1,
  everyMinutes: 10,
});

/** Writes a dump of the database to the backup folder, and deletes the oldest that the schedule has made. */
export const backUpDatabase = defineJob({
  name: 'server.backUpDatabase',
  queue: 'backupDatabase',
  lane: 'background',
  payload: Type.Object({}),
  // It waits for pg_dump, and must not keep the others of the lane from running.
  ownSlots: 1,
  // A million assets with their vectors are some GB.
  timeLimitMs: 6 * 60 * 60_000,
  attempts: 3,
  uniqueKey: () => 'all',
});
