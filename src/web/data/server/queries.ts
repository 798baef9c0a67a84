import { queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { Me, ServerConfig, ServerFeatures, Storage } from '../types.ts';

/** No event tells how full a disk is. */
const POLLING_MS = 60_000;

/** The signed-in account, with how much of its quota is used. */
export const meQuery = () =>
  queryOptions({
    queryKey: [...keys.users, 'me'],
    queryFn: () => get<Me>('/users/me'),
    refetchInterval: POLLING_MS,
    // It has just been read when the page opens.
    staleTime: POLLING_MS,
  });

export const storageQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'storage'],
    queryFn: () => get<Storage>('/server/storage'),
    refetchInterval: POLLING_MS,
  });

export const serverConfigQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'config'],
    queryFn: () => get<ServerConfig>('/server/config'),
  });

export const serverFeaturesQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'features'],
    queryFn: () => get<ServerFeatures>('/server/features'),
  });
