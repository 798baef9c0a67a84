import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../../jobs/define.ts';

const payload = Type.Object({ exportId: Type.String({ format: 'uuid' }) });

/** Writes the originals of a memory into an archive. */
export const exportArchive = defineJob({
  name: 'memories.exportArchive',
  queue: 'backgroundTask',
  lane: 'background',
  payload,
  attempts: 3,
  uniqueKey: ({ exportId }) => exportId,
});

/** Makes a film of a memory. */
export const exportFilm = defineJob({
  name: 'memories.exportFilm',
  queue: 'backgroundTask',
  lane: 'video',
  payload,
  attempts: 3,
  // Somebody waits for it.
  priority: 1,
  uniqueKey: ({ exportId }) => exportId,
});

/**
 * Expires exports, withdraws those with assets that their owners may not see any more, ends those whose job is lost,
 * and deletes files that belong to none.
 */
export const cleanExports = definePeriodicJob({
  name: 'memories.cleanExports',
  attempts: 3,
  everyMinutes: 60,
});
