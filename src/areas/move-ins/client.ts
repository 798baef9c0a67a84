import { createImmichClient, type ImmichClient } from '../imports/index.ts';
import { createPinnedFetch, type PinnedFetchOptions } from './pinned-fetch.ts';

type ClientOptions = Omit<Parameters<typeof createImmichClient>[0], 'fetch'> & PinnedFetchOptions;

/** Returns a client that connects to what an account may name only. Throws ImmichUnavailable for what is no address. */
export const createMoveInClient = (options: ClientOptions): ImmichClient =>
  createImmichClient({ ...options, fetch: createPinnedFetch(options) });
