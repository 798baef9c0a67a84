import { Type } from 'typebox';
import { defineJob } from '../../jobs/define.ts';

/** Folds the delta rows of album_count together. */
export const foldAlbumCounts = defineJob({
  name: 'albums.foldCounts',
  queue: 'backgroundTask',
  lane: 'background',
  payload: Type.Object({}),
  attempts: 1,
  everyMinutes: 1,
  uniqueKey: () => 'all',
});
