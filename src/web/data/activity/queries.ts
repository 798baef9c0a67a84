import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchActivities, fetchActivityCounts, type Subject } from './activity-data.ts';

/** No event tells what others say. */
const POLLING_MS = 8000;

export const activitiesQuery = ({ albumId, assetId }: Subject) =>
  queryOptions({
    queryKey: [...keys.activities, albumId, 'list', assetId ?? null],
    queryFn: () => fetchActivities({ albumId, assetId }),
    refetchInterval: POLLING_MS,
  });

export const activityCountsQuery = (albumId: string) =>
  queryOptions({
    queryKey: [...keys.activities, albumId, 'counts'],
    queryFn: () => fetchActivityCounts({ albumId }),
  });
