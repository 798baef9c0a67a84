import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Archives the items of an operation or undoes it, according to its status. */
export const runArchive = defineJob({
  name: 'archiveOperations.run',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ operationId: Type.String({ format: 'uuid' }) }),
  attempts: 5,
  priority: 2,
  uniqueKey: ({ operationId }) => operationId,
});

/** Expires unconfirmed operations, deletes old ones, enqueues those whose job was lost. */
export const cleanUpArchives = definePeriodicJob({
  name: 'archiveOperations.cleanUp',
  attempts: 3,
  everyMinutes: 60,
});
