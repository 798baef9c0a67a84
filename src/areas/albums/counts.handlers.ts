import type { JobHandler } from '../../jobs/define.ts';
import { findUnfoldedAlbums, foldAlbums } from './counts.store.ts';
import type { foldAlbumCounts } from './jobs.ts';

export const handleFoldAlbumCounts: JobHandler<typeof foldAlbumCounts> = async ({ db }) => {
  const albumIds = await findUnfoldedAlbums(db);
  if (albumIds.length === 0) return undefined;
  return async (tx) => void (await foldAlbums(tx, albumIds));
};
