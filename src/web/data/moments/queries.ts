import { queryOptions } from '@tanstack/react-query';
import { keys } from '../query-keys.ts';
import { fetchMoments, fetchSimilar, type Moments, searchMoments } from './moment-data.ts';

/** No event tells how far a video has been analysed. */
const POLLING_MS = 3000;

export const isProcessing = (moments: Moments | undefined): boolean =>
  moments?.status === 'processing' || moments?.status === 'pending';

export const momentsQuery = (videoId: string) =>
  queryOptions({
    queryKey: [...keys.moments, 'video', videoId],
    queryFn: () => fetchMoments(videoId),
    refetchInterval: ({ state }) => (isProcessing(state.data) ? POLLING_MS : false),
  });

export const similarFramesQuery = (frameId: string) =>
  queryOptions({
    queryKey: [...keys.moments, 'similar', frameId],
    queryFn: () => fetchSimilar(frameId),
  });

const MOST_FOUND = 12;

/**
 * Moments of videos that a search finds. `text` is the part of the words that is about what is seen;
 * where nothing is left of it (null), only moments whose title has these words are found.
 */
export const foundMomentsQuery = (text: string | null, words: string) =>
  queryOptions({
    queryKey: [...keys.moments, 'found', { text, words }],
    queryFn: () => {
      const search = text === null ? { query: words, kinds: ['manual' as const] } : { query: text };
      if (!search.query) return { items: [], nextPage: null };
      return searchMoments({ ...search, size: MOST_FOUND });
    },
  });
