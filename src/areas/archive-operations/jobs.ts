import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Archives what an operation names, or puts it back: whatever its status asks for. */
export const workOnArchive = defineJob({
  name: 'archiveOperations.work',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ operationId: Type.String({ format: 'uuid' }) }),
  attempts: 5,
  priority: 2,
  uniqueKey: ({ operationId }) => operationId,
});

/** Ends what nobody confirmed, forgets what is no longer listed, goes on with what was forgotten. */
export const tidyArchive = definePeriodicJob({
  name: 'archiveOperations.tidy',
  attempts: 3,
  everyMinutes: 60,
});
