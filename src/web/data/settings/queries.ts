import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Partner, Preferences, ServerAbout } from '../types.ts';

export const aboutQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'about'],
    queryFn: () => get<ServerAbout>('/server/about'),
  });

export type PartnerDirection = 'shared-by' | 'shared-with';

/** The accounts that this timeline is shared with ('shared-by'), or that share theirs. */
export const partnersQuery = (direction: PartnerDirection) =>
  queryOptions({
    queryKey: [...keys.partners, direction],
    queryFn: () => get<Partner[]>('/partners', { direction }),
  });

export const preferencesQuery = () =>
  queryOptions({
    queryKey: [...keys.preferences, 'now'],
    queryFn: () => get<Preferences>('/users/me/preferences'),
  });
