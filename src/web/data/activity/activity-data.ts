import { get, post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Activity, ActivityCounts } from '../types.ts';

/** An album with all its photos, or one photo in it. */
export type Subject = { albumId: string; assetId?: string | undefined };

export const fetchActivities = ({ albumId, assetId }: Subject): Promise<Activity[]> =>
  get('/activities', { albumId, assetId });
export const fetchActivityCounts = ({ albumId, assetId }: Subject): Promise<ActivityCounts> =>
  get('/activities/statistics', { albumId, assetId });

const ACTIVITIES = { invalidates: [keys.activities] };

const toBody = ({ albumId, assetId }: Subject) => ({ albumId, ...(assetId && { assetId }) });
export const createComment = (subject: Subject, text: string): Promise<Activity> =>
  mutate(
    () => post('/activities', { ...toBody(subject), type: 'comment', comment: text }),
    ACTIVITIES,
  );
export const createLike = (subject: Subject): Promise<Activity> =>
  mutate(() => post('/activities', { ...toBody(subject), type: 'like' }), ACTIVITIES);
export const deleteActivity = (id: string): Promise<void> =>
  mutate(() => remove(`/activities/${id}`), ACTIVITIES);
