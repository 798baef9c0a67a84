import { Type } from 'typebox';
import { defineJob, definePeriodicJob } from '../../jobs/define.ts';
import { hasUnfoldedAlbums } from './counts.store.ts';

/** Folds the delta rows of album_count together. */
export const foldAlbumCounts = definePeriodicJob({
  name: 'albums.foldCounts',
  attempts: 1,
  everyMinutes: 1,
  hasWork: hasUnfoldedAlbums,
});

/** Tells the members of an album of what has been added in five minutes. */
export const notifyOfAdditions = defineJob({
  name: 'albums.notifyOfAdditions',
  queue: 'notifications',
  lane: 'background',
  attempts: 3,
  delaySeconds: 300,
  payload: Type.Object({ albumId: Type.String() }),
  uniqueKey: ({ albumId }) => albumId,
});
