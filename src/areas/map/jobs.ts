import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the delta rows of asset_cell_count. */
export const foldCells = definePeriodicJob({
  name: 'map.foldCells',
  attempts: 1,
  everyMinutes: 1,
});
