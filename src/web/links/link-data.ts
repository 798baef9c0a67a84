import { get, patch, post, remove } from '../api.ts';
import type { SharedLink, SharedLinkChange } from '../types.ts';

/** What is shared: an album, or photos by themselves. */
export type LinkTarget = { albumId: string } | { assetIds: readonly string[] };

export const fetchLinks = (albumId?: string): Promise<SharedLink[]> =>
  get('/shared-links', albumId === undefined ? {} : { albumId });

export const createLink = (target: LinkTarget, change: SharedLinkChange): Promise<SharedLink> =>
  post('/shared-links', {
    ...target,
    ...change,
    type: 'albumId' in target ? 'ALBUM' : 'INDIVIDUAL',
  });
export const changeLink = (id: string, change: SharedLinkChange): Promise<SharedLink> =>
  patch(`/shared-links/${id}`, change);
export const deleteLink = (id: string): Promise<void> => remove(`/shared-links/${id}`);

/** What is sent to the guest. */
export const urlOf = ({ key, slug }: SharedLink, origin = location.origin): string =>
  slug ? `${origin}/s/${encodeURIComponent(slug)}` : `${origin}/share/${key}`;

const DAY_MS = 86_400_000;
export const LIFETIMES = [
  { label: 'Never', days: 0 },
  { label: 'In a day', days: 1 },
  { label: 'In a week', days: 7 },
  { label: 'In a month', days: 30 },
  { label: 'In a year', days: 365 },
] as const;

/** Null: never. */
export const expiryIn = (days: number, now = Date.now()): string | null =>
  days > 0 ? new Date(now + days * DAY_MS).toISOString() : null;

export const isOver = ({ expiresAt }: SharedLink, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;
