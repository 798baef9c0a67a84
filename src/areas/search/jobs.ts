import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Folds the delta rows of asset_fact_count together. */
export const foldFacts = defineJob({
  name: 'search.foldFacts',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});

/** Makes the words again by which changed assets are found. */
export const indexText = defineJob({
  name: 'search.indexText',
  queue: 'search',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 3,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});
