import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { get } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { BrokenAssetCount, BrokenAssets } from '../types.ts';

const fetchBroken = (query: { size?: number; cursor?: string }): Promise<BrokenAssets> =>
  get('/assets/broken', query);

/** Files that the server has and could not decode, a page at a time. */
export const brokenQuery = () =>
  infiniteQueryOptions({
    queryKey: [...keys.broken, 'list'],
    queryFn: ({ pageParam }) => fetchBroken(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const brokenCountQuery = () =>
  queryOptions({
    queryKey: [...keys.broken, 'count'],
    queryFn: async () => (await fetchBroken({ size: 1 })).total,
  });

/** The files of all accounts, for administrators. */
export const allBrokenCountQuery = () =>
  queryOptions({
    queryKey: [...keys.broken, 'count of all'],
    queryFn: async () => (await get<BrokenAssetCount>('/assets/broken/count')).total,
  });
