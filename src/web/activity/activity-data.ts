import { get, post, remove } from '../api.ts';
import type { Activity, ActivityCounts } from '../types.ts';

/** Without a photo it is about the album itself, and all that is in it. */
export type Subject = { albumId: string; assetId?: string | undefined };

export const fetchActivities = ({ albumId, assetId }: Subject): Promise<Activity[]> =>
  get('/activities', { albumId, assetId });
export const fetchCounts = ({ albumId, assetId }: Subject): Promise<ActivityCounts> =>
  get('/activities/statistics', { albumId, assetId });

const bodyOf = ({ albumId, assetId }: Subject) => ({ albumId, ...(assetId && { assetId }) });
export const comment = (subject: Subject, text: string): Promise<Activity> =>
  post('/activities', { ...bodyOf(subject), type: 'comment', comment: text });
export const like = (subject: Subject): Promise<Activity> =>
  post('/activities', { ...bodyOf(subject), type: 'like' });
export const deleteActivity = (id: string): Promise<void> => remove(`/activities/${id}`);
