import type { Filter } from '../../data/timeline/queries.ts';

/** Filters of the timeline of photos, as its address has them. */
export type PhotoFilter = {
  type?: 'IMAGE' | 'VIDEO' | undefined;
  isFavorite?: boolean | undefined;
  model?: string | undefined;
  personId?: string | undefined;
  /** Newest uploads first. */
  isByUpload?: boolean | undefined;
};

export function readPhotoFilter(search: string): PhotoFilter {
  const read = new URLSearchParams(search);
  const type = read.get('type');
  return {
    ...((type === 'IMAGE' || type === 'VIDEO') && { type }),
    ...(read.has('favourites') && { isFavorite: true }),
    ...(read.get('camera') && { model: read.get('camera') ?? undefined }),
    ...(read.get('person') && { personId: read.get('person') ?? undefined }),
    ...(read.get('order') === 'added' && { isByUpload: true }),
  };
}

/** Returns the part of the address after the path, with its question mark; empty for all photos. */
export function writePhotoFilter(filter: PhotoFilter): string {
  const write = new URLSearchParams();
  if (filter.type) write.set('type', filter.type);
  if (filter.isFavorite) write.set('favourites', '');
  if (filter.model) write.set('camera', filter.model);
  if (filter.personId) write.set('person', filter.personId);
  if (filter.isByUpload) write.set('order', 'added');
  const text = write.toString();
  return text && `?${text}`;
}

/** Favourites are one's own: the server lists none of partners. */
export const toTimelineFilter = (filter: PhotoFilter): Filter => ({
  visibility: 'timeline',
  withStacked: true,
  ...(filter.isFavorite ? { isFavorite: true } : { withPartners: true }),
  ...(filter.type && { type: filter.type }),
  ...(filter.model && { model: filter.model }),
  ...(filter.personId && { personId: filter.personId }),
  ...(filter.isByUpload && { orderBy: 'createdAt' as const }),
});
