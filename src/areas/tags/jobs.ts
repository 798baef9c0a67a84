import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { hasUnfoldedTags } from './counts.store.ts';

/** Folds the delta rows of tag_count together. */
export const foldTagCounts = definePeriodicJob({
  name: 'tags.foldCounts',
  attempts: 1,
  everyMinutes: 1,
  hasWork: hasUnfoldedTags,
});

/** Deletes the tags of an account that no asset has, nor one of their descendants. */
export const cleanUpTags = defineJob({
  name: 'tags.cleanUp',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({ ownerId: Type.String({ format: 'uuid' }) }),
  attempts: 3,
  uniqueKey: ({ ownerId }) => ownerId,
});
