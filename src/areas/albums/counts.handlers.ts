import type { JobHandler } from '../../jobs/define.ts';
import { createFoldHandler } from '../../jobs/fold.ts';
import { findUnfoldedAlbums, foldAlbums } from './counts.store.ts';
import type { foldAlbumCounts } from './jobs.ts';

export const handleFoldAlbumCounts: JobHandler<typeof foldAlbumCounts> = createFoldHandler(
  findUnfoldedAlbums,
  foldAlbums,
);
