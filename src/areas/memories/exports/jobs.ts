import { definePeriodicJob } from '../../../jobs/define.ts';
import { defineOperationJob } from '../../../operations/define.ts';

/** Writes the originals of a memory into an archive. */
export const exportArchive = defineOperationJob({
  name: 'memories.exportArchive',
  queue: 'backgroundTask',
  lane: 'background',
  attempts: 3,
});

/** Makes a film of a memory. */
export const exportFilm = defineOperationJob({
  name: 'memories.exportFilm',
  queue: 'backgroundTask',
  lane: 'video',
  attempts: 3,
  // Somebody waits for it.
  priority: 1,
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
