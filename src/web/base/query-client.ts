import {
  hashKey,
  MutationObserver,
  notifyManager,
  partialMatchKey,
  type Query,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { coalesce } from './coalesce.ts';

/** The statuses of a server that is unreachable (0) or restarting behind a proxy. */
const TRANSIENT: readonly number[] = [0, 502, 503, 504];

const isTransient = (error: unknown): boolean =>
  error instanceof ApiError && TRANSIENT.includes(error.status);

const RETRY_MS = 1000;
/** Data that no component shows any more is dropped after this time. */
const UNUSED_MS = 5 * 60_000;

// With the default, a timer, a checked box is seen to jump back before its optimistic change is drawn.
notifyManager.setScheduler(queueMicrotask);

/** The page's only cache of server state. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A server at home answers without the internet, whatever the browser says about the network.
      networkMode: 'always',
      retry: (failures, error) => failures < 1 && isTransient(error),
      retryDelay: RETRY_MS,
      gcTime: UNUSED_MS,
    },
    mutations: { networkMode: 'always' },
  },
});

/** Marks data as out of date; resolves when what is on the screen has been fetched again. */
export async function invalidate(queryKeys: readonly QueryKey[]): Promise<void> {
  await Promise.all(queryKeys.map(invalidateOne));
}

async function invalidateOne(queryKey: QueryKey): Promise<void> {
  const filter = { queryKey, predicate: (query: Query) => !isChanging(query.queryKey) };
  const queries = queryClient.getQueryCache().findAll({ ...filter, type: 'active' });
  // A first fetch is not begun anew by the library, although it may be older than the change.
  const first = new Set(
    queries.filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching'),
  );
  await queryClient.invalidateQueries(filter);
  if (first.size === 0) return;
  await queryClient.refetchQueries({ type: 'active', predicate: (query) => first.has(query) });
}

const pending = new Map<string, () => void>();

/**
 * Marks data as out of date in a moment, together with other calls for the same key: for events, which come in bursts.
 * Queries on the screen are fetched again by `refetchSoon`.
 */
export function invalidateSoon(queryKey: QueryKey): void {
  const hash = hashKey(queryKey);
  let run = pending.get(hash);
  if (!run) pending.set(hash, (run = coalesce(() => markOutdated(queryKey))));
  run();
}

async function markOutdated(queryKey: QueryKey): Promise<void> {
  const filter = { queryKey, predicate: (query: Query) => !isChanging(query.queryKey) };
  await queryClient.invalidateQueries({ ...filter, refetchType: 'none' });
  queryClient
    .getQueryCache()
    .findAll({ ...filter, type: 'active' })
    .forEach(refetchSoon);
}

/** Data that events make out of date is not asked for more often, in ms. */
const EVENTS_MS = 1000;

const refetches = new WeakMap<Query, () => void>();

/**
 * Fetches data that is on the screen again, at most once a second. A fetch that is under way may be older than the
 * cause: it is not given up, and one more follows.
 */
export function refetchSoon(query: Query): void {
  let run = refetches.get(query);
  const pace = { waitMs: 0, everyMs: EVENTS_MS };
  if (!run) refetches.set(query, (run = coalesce(() => refetch(query), pace)));
  run();
}

async function refetch(query: Query): Promise<void> {
  if (query.state.fetchStatus === 'fetching') await query.promise?.catch(() => undefined);
  // The answer to a change that is on the screen fetches it.
  if (isChanging(query.queryKey)) return;
  await queryClient.refetchQueries(
    { type: 'active', predicate: (one) => one === query },
    { cancelRefetch: false },
  );
}

type Revert = () => void;

type Effects = {
  /** Data that the change may have made out of date, also when it failed. */
  invalidates: readonly QueryKey[];
  /** Shows the change before the server has agreed; returns the function that reverts it. */
  apply?: () => Revert | Promise<Revert>;
  /** The data that the answer replaces. Changes of the same data are sent one after another. */
  replaces?: QueryKey;
};

/** The data of each change that is on the screen although the server has not agreed yet. */
const applied = new Set<readonly QueryKey[]>();

/** Whether the screen shows a change of this data which an answer of this moment may not have. */
const isChanging = (queryKey: QueryKey): boolean =>
  [...applied].some((keys) => keys.some((key) => partialMatchKey(queryKey, key)));

/**
 * Sends a change to the server. Resolves with the answer once the data on the screen is fresh again;
 * rejects with the server's error after `apply` is reverted. Data to which a later change is applied
 * stays as it is shown: the answer to that one makes it fresh.
 */
export function mutate<T>(
  mutationFn: () => Promise<T>,
  { invalidates, apply, replaces }: Effects,
): Promise<T> {
  const changed = replaces ? [...invalidates, replaces] : [...invalidates];
  const observer = new MutationObserver<T, Error, void, Revert | undefined>(queryClient, {
    mutationFn,
    ...(replaces && { scope: { id: hashKey(replaces) } }),
    onMutate: () => {
      if (apply) applied.add(changed);
      return apply?.();
    },
    onSuccess: (answer) => {
      applied.delete(changed);
      if (replaces && !isChanging(replaces)) queryClient.setQueryData(replaces, answer);
    },
    onError: (_error, _variables, revert) => {
      applied.delete(changed);
      if (!changed.some(isChanging)) revert?.();
    },
    onSettled: (_answer, error) => invalidate(error ? changed : invalidates),
  });
  return observer.mutate();
}

/** Replaces cached data at once; resolves with the function that puts the old data back. */
export async function updateData<T>(queryKey: QueryKey, update: (old: T) => T): Promise<Revert> {
  const before = queryClient.getQueryData<T>(queryKey);
  const after = before === undefined ? undefined : update(before);
  if (after !== undefined) queryClient.setQueryData<T>(queryKey, after);
  // A fetch that is under way would bring the old data back, and so does cancelling it.
  await queryClient.cancelQueries({ queryKey, exact: true });
  if (before === undefined) return () => {};
  if (queryClient.getQueryData<T>(queryKey) === before) queryClient.setQueryData(queryKey, after);
  return () => void queryClient.setQueryData<T>(queryKey, before);
}
