import type { HandlerOf } from '../../jobs/define.ts';
import { findUnfoldedAlbums, foldAlbums } from './counts.store.ts';
import type { foldAlbumCounts } from './jobs.ts';

export const handleFoldAlbumCounts: HandlerOf<typeof foldAlbumCounts> = async ({ db }) => {
  const albumIds = await findUnfoldedAlbums(db);
  if (albumIds.length === 0) return undefined;
  return async (tx) => void (await foldAlbums(tx, albumIds));
};
