import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';
import { FILE_OWNERS } from '../../storage/files.store.ts';

/** Has the derived files made again that are missing in the data folder: after a restore, they may all be. */
export const remakeMissingFiles = defineJob({
  name: 'objectStorage.remakeMissingFiles',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({
    owner: Type.Optional(Type.Enum(FILE_OWNERS)),
    /** Where the job before has stopped. */
    after: Type.Optional(Type.Object({ id: Type.String({ format: 'uuid' }), kind: Type.String() })),
  }),
  attempts: 3,
  uniqueKey: ({ owner = '', after }) => `${owner} ${after?.id ?? ''} ${after?.kind ?? ''}`,
});

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
