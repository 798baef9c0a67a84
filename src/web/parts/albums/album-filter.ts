import type { Filter } from '../../data/timeline/queries.ts';

/** Returns the timeline of an album in its order by date. */
export const toAlbumFilter = ({
  id,
  order,
}: {
  id: string;
  order?: 'asc' | 'desc' | undefined;
}): Filter => ({
  albumId: id,
  ...(order === 'asc' && { order }),
});
