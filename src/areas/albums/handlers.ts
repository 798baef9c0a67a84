import type { JobHandler } from '../../jobs/define.ts';
import { createFoldHandler } from '../../jobs/fold.ts';
import { findUnfoldedAlbums, foldAlbums } from './counts.store.ts';
import type { foldAlbumCounts, notifyOfAdditions } from './jobs.ts';
import { notifyMembersOfAdditions } from './additions.domain.ts';

export const handleFoldAlbumCounts: JobHandler<typeof foldAlbumCounts> = createFoldHandler(
  findUnfoldedAlbums,
  foldAlbums,
);

export const handleNotifyOfAdditions: JobHandler<typeof notifyOfAdditions> = (
  { now },
  { albumId },
) => Promise.resolve((tx) => notifyMembersOfAdditions(tx, albumId, now()));
