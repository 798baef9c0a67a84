import { toUrl } from './api.ts';

export type PictureSize = 'thumbnail' | 'preview' | 'fullsize';

/** A picture as its owner edited it. The hash changes with it, so that no old one is shown. */
export const getPictureUrl = (id: string, size: PictureSize, hash?: string | null): string =>
  toUrl(`/assets/${id}/thumbnail`, { size, edited: true, c: hash ?? undefined });

/** As it was taken. */
export const getUneditedUrl = (id: string): string =>
  toUrl(`/assets/${id}/thumbnail`, { size: 'preview', edited: false });

/** A video as browsers play it. */
export const playbackUrl = (id: string): string => toUrl(`/assets/${id}/video/playback`);
