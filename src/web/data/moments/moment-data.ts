import { toUrl, get, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  Moment,
  MomentCreate,
  MomentMatch,
  MomentMatches,
  Moments,
  MomentSearch,
  MomentUpdate,
} from '../../../areas/enrichment/schemas.ts';

export type { Moment, MomentCreate, MomentMatch, MomentMatches, Moments };

export const fetchMoments = (videoId: string): Promise<Moments> =>
  get(`/enrichment/videos/${videoId}/moments`);
const MOMENTS = { invalidates: [keys.moments] };

/** Has a video analysed anew. */
export const analyzeAgain = (videoId: string): Promise<void> =>
  mutate(() => post(`/enrichment/videos/${videoId}/refresh`), MOMENTS);
/** Uses the frame at a time as the cover, or the best frame for null. */
export const setCover = (videoId: string, timeMs: number | null): Promise<Moments> =>
  mutate(() => put(`/enrichment/videos/${videoId}/cover`, { timeMs }), {
    invalidates: [],
    replaces: [...keys.moments, 'video', videoId],
  });
export const createMoment = (videoId: string, moment: MomentCreate): Promise<Moment> =>
  mutate(() => post(`/enrichment/videos/${videoId}/moments`, moment), MOMENTS);
export const renameMoment = (
  { assetId, id }: Pick<Moment, 'assetId' | 'id'>,
  change: MomentUpdate,
): Promise<Moment> =>
  mutate(() => put(`/enrichment/videos/${assetId}/moments/${id}`, change), MOMENTS);
export const deleteMoment = ({ assetId, id }: Pick<Moment, 'assetId' | 'id'>): Promise<void> =>
  mutate(() => remove(`/enrichment/videos/${assetId}/moments/${id}`), MOMENTS);

export const fetchSimilar = (frameId: string): Promise<MomentMatches> =>
  get(`/enrichment/frames/${frameId}/similar`, { limit: 24 });
export const searchMoments = (search: MomentSearch): Promise<MomentMatches> =>
  post('/enrichment/moments/search', search);

export const frameUrl = (frameId: string): string => toUrl(`/enrichment/frames/${frameId}`);

/** The address parameter by which a video opens at a time, in seconds. */
export const TIME_PARAM = 't';
/** Returns seconds as the parameter has them. */
export const toSeconds = (ms: number): string => String(ms / 1000);
