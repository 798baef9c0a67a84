import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchLinks } from './link-data.ts';

/** The shared links of the account, or of one album. */
export const linksQuery = (albumId?: string) =>
  queryOptions({
    queryKey: [...keys.links, albumId ?? 'all'],
    queryFn: () => fetchLinks(albumId),
  });
