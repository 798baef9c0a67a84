import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Compares what was measured lately with everything else, many pictures in one pass. */
export const matchPictures = defineJob({
  name: 'duplicates.match',
  queue: 'duplicateDetection',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 5,
  priority: -1,
  uniqueKey: () => 'all',
});
