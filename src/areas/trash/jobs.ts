import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { defineOperationJob } from '../../operations/define.ts';

/** Moves the items of an operation that is too large for its request. */
export const moveItems = defineOperationJob({
  name: 'trash.moveItems',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 10,
  priority: 2,
});

/** Deletes the files of deleted rows. */
export const removeFiles = definePeriodicJob({
  name: 'trash.removeFiles',
  attempts: 3,
  everyMinutes: 60,
});

/** Deletes items whose time in the trash is over, and expired reviews and activity. */
export const expireTrash = definePeriodicJob({
  name: 'trash.expire',
  attempts: 3,
  everyMinutes: 24 * 60,
});

/** Removes files that no row refers to, one slice of the data folder after the other. */
export const sweepFiles = defineJob({
  name: 'trash.sweepFiles',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ slice: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })) }),
  attempts: 3,
  everyMinutes: 24 * 60,
  uniqueKey: ({ slice = 0 }) => String(slice),
});
