import type { Feed } from './feed.ts';
import { OWN_FEEDS } from './own-feeds.store.ts';
import { SHARED_FEEDS } from './shared-feeds.store.ts';

/** Sent in the order of REQUEST_TYPES. Types without a feed have nothing to send. */
export const FEEDS: readonly Feed[] = [...OWN_FEEDS, ...SHARED_FEEDS];
