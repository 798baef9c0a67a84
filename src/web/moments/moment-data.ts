import { addressOf, get, post, put, remove } from '../api.ts';
import type {
  Moment,
  MomentCreate,
  MomentMatch,
  MomentMatches,
  Moments,
  MomentSearch,
  MomentUpdate,
} from '../../areas/enrichment/schemas.ts';

export type { Moment, MomentMatch, MomentMatches, Moments };

export const fetchMoments = (videoId: string): Promise<Moments> =>
  get(`/enrichment/videos/${videoId}/moments`);
export const refreshMoments = (videoId: string): Promise<void> =>
  post(`/enrichment/videos/${videoId}/refresh`);
/** Null returns to the best frame. */
export const putCover = (videoId: string, timeMs: number | null): Promise<Moments> =>
  put(`/enrichment/videos/${videoId}/cover`, { timeMs });
export const addMoment = (videoId: string, moment: MomentCreate): Promise<Moment> =>
  post(`/enrichment/videos/${videoId}/moments`, moment);
export const changeMoment = (
  { assetId, id }: Pick<Moment, 'assetId' | 'id'>,
  change: MomentUpdate,
): Promise<Moment> => put(`/enrichment/videos/${assetId}/moments/${id}`, change);
export const deleteMoment = ({ assetId, id }: Pick<Moment, 'assetId' | 'id'>): Promise<void> =>
  remove(`/enrichment/videos/${assetId}/moments/${id}`);

export const fetchSimilar = (frameId: string): Promise<MomentMatches> =>
  get(`/enrichment/frames/${frameId}/similar`, { limit: 24 });
export const searchMoments = (search: MomentSearch): Promise<MomentMatches> =>
  post('/enrichment/moments/search', search);

export const frameUrl = (frameId: string): string => addressOf(`/enrichment/frames/${frameId}`);

/** The address parameter by which a video opens at a time, in seconds. */
export const TIME_PARAM = 't';
export const secondsOf = (ms: number): string => String(ms / 1000);
