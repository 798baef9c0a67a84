import { defineRound } from '../../jobs/define.ts';

/** Folds the delta rows of asset_fact_count together. */
export const foldFacts = defineRound({
  name: 'search.foldFacts',
  attempts: 1,
  everyMinutes: 1,
});

/** Rebuilds the full-text vectors of changed assets. */
export const indexText = defineRound({
  name: 'search.indexText',
  queue: 'search',
  attempts: 3,
  everyMinutes: 1,
});
