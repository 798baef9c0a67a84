import { queryOptions, useQuery } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { serverConfigQuery } from '../server/queries.ts';
import type { SharedLink } from '../types.ts';
import { fetchLinkOwner, fetchLinks, fetchLinkUses, toGuestPath } from './link-data.ts';

/** The shared links of the account, or of one album. */
export const linksQuery = (albumId?: string) =>
  queryOptions({
    queryKey: [...keys.links, albumId ?? 'all'],
    queryFn: () => fetchLinks(albumId),
  });

const USES_MS = 30_000;

export const linkUsesQuery = () =>
  queryOptions({
    queryKey: [...keys.links, 'uses'],
    queryFn: fetchLinkUses,
    refetchInterval: USES_MS,
  });

export const linkOwnerQuery = () =>
  queryOptions({ queryKey: [...keys.links, 'owner'], queryFn: fetchLinkOwner });

/** Returns the address that is sent to guests: at the server's external domain, if one is set. */
export function useGuestUrl(link: SharedLink): string {
  const { data: config } = useQuery(serverConfigQuery());
  return `${config?.externalDomain || location.origin}${toGuestPath(link)}`;
}
