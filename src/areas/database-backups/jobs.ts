import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Writes a dump of the database to the backup folder, and deletes the oldest that the schedule has made. */
export const backUpDatabase = defineJob({
  name: 'databaseBackups.backUpDatabase',
  queue: 'backupDatabase',
  lane: 'background',
  payload: Type.Object({ isManual: Type.Optional(Type.Boolean()) }),
  // It waits for pg_dump, and must not keep the others of the lane from running.
  ownSlots: 1,
  // A million assets with their vectors are some GB.
  timeLimitMs: 6 * 60 * 60_000,
  attempts: 3,
  uniqueKey: () => 'all',
});

/** Restores a backup beside the database, which proves that it can be restored. */
export const runDrill = defineJob({
  name: 'databaseBackups.runDrill',
  queue: 'backupDatabase',
  lane: 'background',
  payload: Type.Object({ filename: Type.String() }),
  ownSlots: 1,
  timeLimitMs: 6 * 60 * 60_000,
  attempts: 2,
  uniqueKey: () => 'all',
});

/**
 * Writes dumps of databases that a restore has replaced, and drops them after a week or when space is short. Not during
 * the restore, for nobody can use the library then.
 */
export const dropReplacedDatabases = definePeriodicJob({
  name: 'databaseBackups.dropReplacedDatabases',
  attempts: 1,
  timeLimitMs: 6 * 60 * 60_000,
  everyMinutes: 60,
});
