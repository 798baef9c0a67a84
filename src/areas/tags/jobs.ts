import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the delta rows of tag_count together. */
export const foldTagCounts = definePeriodicJob({
  name: 'tags.foldCounts',
  attempts: 1,
  everyMinutes: 1,
});
