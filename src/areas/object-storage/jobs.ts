import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Compares the object store with the database, one slice of the keys after the other. */
export const compareObjects = defineJob({
  name: 'objectStorage.compare',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ slice: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })) }),
  attempts: 3,
  everyMinutes: 24 * 60,
  uniqueKey: ({ slice = 0 }) => String(slice),
});
