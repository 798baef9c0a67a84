import { definePeriodicJob } from '../../jobs/define.ts';

/** Folds the delta rows of album_count together. */
export const foldAlbumCounts = definePeriodicJob({
  name: 'albums.foldCounts',
  attempts: 1,
  everyMinutes: 1,
});
