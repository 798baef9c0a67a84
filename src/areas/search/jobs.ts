import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the delta rows of asset_fact_count together. */
export const foldFacts = definePeriodicJob({
  name: 'search.foldFacts',
  attempts: 1,
  everyMinutes: 1,
});

/** Rebuilds the full-text vectors of changed assets. */
export const indexText = definePeriodicJob({
  name: 'search.indexText',
  queue: 'search',
  attempts: 3,
  everyMinutes: 1,
});
