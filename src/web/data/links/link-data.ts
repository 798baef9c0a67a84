import { ApiError, get, patch, post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { LinkUse, SharedLink, SharedLinkChange } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** The album or the photos that a link shows. */
export type LinkTarget = { albumId: string } | { assetIds: readonly string[] };

export const fetchLinks = (albumId?: string): Promise<SharedLink[]> =>
  get('/shared-links', albumId === undefined ? {} : { albumId });

/** Throws the error of a save. The server's refusal of a slug that another link has names no field. */
export function throwExplained(error: unknown): never {
  const isTaken = error instanceof ApiError && error.serverMessage === 'Failed to save shared link';
  throw isTaken ? new ApiError(error.status, error.message, { slug: error.message }) : error;
}

/** Returns the number of visits and downloads of each link of the account. */
export const fetchLinkUses = (): Promise<LinkUse[]> => get('/shared-links/statistics');

/** Returns who shares the link that a guest came by. */
export const fetchLinkOwner = (): Promise<{ name: string }> => get('/shared-links/me/owner');

const LINKS = { invalidates: [keys.links] };

export const createLink = (target: LinkTarget, change: SharedLinkChange): Promise<SharedLink> =>
  mutate(
    () =>
      post<SharedLink>('/shared-links', {
        ...target,
        ...change,
        type: 'albumId' in target ? 'ALBUM' : 'INDIVIDUAL',
      }).catch(throwExplained),
    LINKS,
  );
export const changeLink = (id: string, change: SharedLinkChange): Promise<SharedLink> =>
  mutate(() => patch<SharedLink>(`/shared-links/${id}`, change).catch(throwExplained), LINKS);
export const deleteLink = (id: string): Promise<void> =>
  mutate(() => remove(`/shared-links/${id}`), LINKS);

/** Returns the path of the page that guests open. */
export const toGuestPath = ({ key, slug }: SharedLink): string =>
  slug ? `/s/${encodeURIComponent(slug)}` : `/share/${key}`;

const DAY_MS = 86_400_000;
export const LIFETIMES = [
  { label: t('Never'), days: 0 },
  { label: t('In a day'), days: 1 },
  { label: t('In a week'), days: 7 },
  { label: t('In a month'), days: 30 },
  { label: t('In a year'), days: 365 },
] as const;

/** Returns when a link ends, or null for never (0 days). */
export const getExpiry = (days: number, now = Date.now()): string | null =>
  days > 0 ? new Date(now + days * DAY_MS).toISOString() : null;

export const isExpired = ({ expiresAt }: SharedLink, now = Date.now()): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= now;
