import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Compares new feature vectors with all others, many pictures in one pass. */
export const matchPictures = defineJob({
  name: 'duplicates.match',
  // The first one may have to load all vectors from a slow disk.
  timeLimitMs: 30 * 60_000,
  queue: 'duplicateDetection',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 5,
  priority: -1,
  uniqueKey: () => 'all',
});
