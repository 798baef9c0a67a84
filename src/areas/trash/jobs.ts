import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';

/** Works through the frozen set of a move that was too big for its request. */
export const moveItems = defineJob({
  name: 'trash.moveItems',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ operationId: Type.String({ format: 'uuid' }) }),
  attempts: 10,
  priority: 2,
  uniqueKey: ({ operationId }) => operationId,
});

/** Removes the files of rows that are gone. */
export const removeFiles = definePeriodicJob({
  name: 'trash.removeFiles',
  attempts: 3,
  everyMinutes: 60,
});

/** Empties the trash of what has been there for long enough, and forgets what is too old to matter. */
export const expireTrash = definePeriodicJob({
  name: 'trash.expire',
  attempts: 3,
  everyMinutes: 24 * 60,
});

/** Finds files that nothing names, one slice of the data folder after the other; begins with slice 0. */
export const sweepFiles = defineJob({
  name: 'trash.sweepFiles',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ slice: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })) }),
  attempts: 3,
  everyMinutes: 24 * 60,
  uniqueKey: ({ slice = 0 }) => String(slice),
});
