import type { Feed } from './feed.ts';
import { OWN_FEEDS } from './own-feeds.store.ts';
import { SHARED_FEEDS } from './shared-feeds.store.ts';

/** They are sent in the order of REQUEST_TYPES; types that are not here have nothing to send yet. */
export const FEEDS: readonly Feed[] = [...OWN_FEEDS, ...SHARED_FEEDS];
