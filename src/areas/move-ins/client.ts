import { createImmichClient, type ImmichClient } from '../imports/index.ts';
import { createPinnedFetch, type PinnedFetchOptions } from './pinned-fetch.ts';

type ClientOptions = Omit<Parameters<typeof createImmichClient>[0], 'fetch'> &
  PinnedFetchOptions & {
    /** The server has answered. */
    readonly onAnswer?: () => void;
  };

/** Returns a client that connects to what an account may name only. Throws ImmichUnavailable for what is no address. */
export function createMoveInClient({ onAnswer, ...options }: ClientOptions): ImmichClient {
  const send = createPinnedFetch(options);
  return createImmichClient({
    ...options,
    fetch: async (url, init) => {
      const response = await send(url, init);
      if (response.ok) onAnswer?.();
      return response;
    },
  });
}
