import type { Query } from '@tanstack/react-query';
import { isRetryable } from './api.ts';
import { coalesce } from './coalesce.ts';
import { isOffline } from './connection.ts';
import { queryClient } from './query-client.ts';
import { createStore, type ReadableStore } from './store.ts';

// Data of the page that could not be fetched. Every page has a way to try again, whatever it says about it itself.

const isFailed = ({ state }: Query): boolean =>
  state.status === 'error' && isRetryable(state.error);

const failed = createStore(false);
/** Whether something that is shown could not be fetched, and may be by now. */
export const hasFailedQueries: ReadableStore<boolean> = failed;

/** Asks again for what is shown and could not be fetched. */
export const retryFailedQueries = (): Promise<void> =>
  queryClient.refetchQueries({ type: 'active', predicate: isFailed });

export function watchFailedQueries(): void {
  const update = coalesce(async () => {
    const found = queryClient.getQueryCache().findAll({ type: 'active', predicate: isFailed });
    failed.set(found.length > 0);
  });
  queryClient.getQueryCache().subscribe(({ type }) => {
    if (type !== 'observerResultsUpdated' && type !== 'observerOptionsUpdated') update();
  });
  isOffline.subscribe(() => {
    if (!isOffline.get()) void retryFailedQueries();
  });
}
