import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Folds the delta rows of asset_cell_count together. */
export const foldCells = defineJob({
  name: 'map.foldCells',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});
