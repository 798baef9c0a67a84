import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { requireValue } from '../../../core/required.ts';
import { getVersioned, type Versioned } from '../../base/api.ts';
import { keys } from '../query-keys.ts';
import type { MonthColumns, MonthCount } from '../types.ts';

/** Which photos a timeline shows; the parameters of the API's own query. */
export type Filter = {
  visibility?: 'timeline' | 'archive' | 'locked';
  isFavorite?: boolean;
  isTrashed?: boolean;
  albumId?: string;
  tagId?: string;
  personId?: string;
  type?: 'IMAGE' | 'VIDEO';
  /** The model of the camera. */
  model?: string;
  /** By the day of the upload; else by that of the capture. */
  orderBy?: 'takenAt' | 'createdAt';
  /** The oldest first; else the newest. */
  order?: 'asc';
  /** One photo stands for each stack. */
  withStacked?: boolean;
  /** Photos of one partner who shares the timeline. */
  userId?: string;
  /** Also photos of people who share theirs. */
  withPartners?: boolean;
};

/** The list of months says how many photos each has, not whether one of them changed. */
const FRESH_MS = 30_000;
/** Months that nobody looks at are dropped after this time. */
const UNUSED_MS = 30 * 60_000;

const OPTIONS = { gcTime: UNUSED_MS, structuralSharing: false } as const;

/** The beginning of the keys of all data of one timeline. */
export const timelineKey = (filter: Filter) => [...keys.timeline, JSON.stringify(filter)] as const;

/** Number of photos by month, in the order of the filter. */
export function monthCountsQuery(filter: Filter) {
  const queryKey = [...timelineKey(filter), 'months'] as const;
  return queryOptions({
    ...OPTIONS,
    queryKey,
    queryFn: ({ client }) =>
      fetchIfChanged<MonthCount[]>(client, queryKey, '/timeline/buckets', filter),
  });
}

/** The photos of one month: `month` is the API's name of it, '2024-07-01'. */
export function monthQuery(filter: Filter, month: string) {
  const queryKey = [...timelineKey(filter), 'month', month] as const;
  return queryOptions({
    ...OPTIONS,
    staleTime: FRESH_MS,
    queryKey,
    queryFn: ({ client }) =>
      fetchIfChanged<MonthColumns>(client, queryKey, '/timeline/bucket', {
        ...filter,
        timeBucket: month,
      }),
  });
}

/** Unchanged data is answered with 304 and no body: then the cached object itself is returned. */
async function fetchIfChanged<T>(
  client: QueryClient,
  queryKey: QueryKey,
  path: string,
  query: Record<string, string | boolean>,
): Promise<Versioned<T>> {
  const before = client.getQueryData<Versioned<T>>(queryKey);
  const answer = await getVersioned<T>(path, query, before?.etag);
  const known = answer ?? client.getQueryData<Versioned<T>>(queryKey) ?? before;
  return requireValue(known, 'data that has not changed');
}
