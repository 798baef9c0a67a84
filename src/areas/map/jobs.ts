import { definePeriodicJob } from '../../jobs/define.ts';
import { hasUnfolded } from './fold.store.ts';

/** Folds the delta rows of asset_cell_count. */
export const foldCells = definePeriodicJob({
  name: 'map.foldCells',
  attempts: 1,
  everyMinutes: 1,
  hasWork: hasUnfolded,
});
