import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Folds the delta rows of tag_count together. */
export const foldTagCounts = defineJob({
  name: 'tags.foldCounts',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});
