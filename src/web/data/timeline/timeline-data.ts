import { type Query, type QueryCacheNotifyEvent, QueryObserver } from '@tanstack/react-query';
import { queryClient, refetchSoon, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { createStore, type ReadableStore } from '../../base/store.ts';
import type { MonthColumns, MonthCount } from '../types.ts';
import { withFavorites } from './columns.ts';
import { onPollingChange, pollingInterval } from './polling.ts';
import { type Filter, monthCountsQuery, monthQuery, timelineKey } from './queries.ts';
import type { Month } from './sections.ts';

export type { Filter };

export type TimelineState = {
  status: 'loading' | 'ready' | 'failed';
  /** Why it could not be read. */
  error: unknown;
  months: readonly Month[];
};

export type Timeline = {
  filter: Filter;
  /** While something subscribes to it, the timeline is kept up to date. */
  state: ReadableStore<TimelineState>;
  /** Asks whether anything changed; cheap when nothing did. Never rejects. */
  refresh(): Promise<void>;
  /** Loads a month that is missing or out of date. Resolves with undefined if that fails. */
  loadMonth(key: string): Promise<MonthColumns | undefined>;
  loadMonths(keys: readonly string[]): Promise<void>;
  /** Loads these months and keeps them up to date, until others are named. */
  observeMonths(keys: readonly string[]): void;
  /** Marks photos in the cache; returns the ids of those that were not marked so before. */
  markFavorites(ids: ReadonlySet<string>, isFavorite: boolean): ReadonlySet<string>;
};

/** Above so many loaded photos, the months that were not used for longest are dropped. */
const MOST_LOADED = 150_000;

const LOADING: TimelineState = { status: 'loading', error: undefined, months: [] };

type CachedTimeline = Timeline & { onCacheEvent: (event: QueryCacheNotifyEvent) => void };

/** A view of the months that the query cache holds of one filter. */
function createTimeline(filter: Filter): CachedTimeline {
  const countsQuery = monthCountsQuery(filter);
  const state = createStore(LOADING);
  const observation = createObservation(filter);
  const usage = createUsage();
  let counts: readonly MonthCount[] | undefined;

  const getColumns = (key: string): MonthColumns | undefined =>
    queryClient.getQueryData(monthQuery(filter, key).queryKey)?.body;

  function readCounts(): void {
    const query = queryClient.getQueryState(countsQuery.queryKey);
    if (!query) {
      counts = undefined;
      state.set(LOADING);
    } else if (!query.data) {
      if (query.status !== 'error') return;
      state.set((old) => ({ ...old, status: 'failed', error: query.error }));
    } else if (query.data.body !== counts) {
      counts = query.data.body;
      const months = counts.map(({ timeBucket, count }) => ({
        key: timeBucket,
        count,
        columns: getColumns(timeBucket),
      }));
      state.set({ status: 'ready', error: undefined, months });
      void refetchOutdated(filter, months);
    }
  }

  function readMonth(key: string): void {
    const columns = getColumns(key);
    const { months } = state.get();
    if (months.every((month) => month.key !== key || month.columns === columns)) return;
    state.set((old) => ({
      ...old,
      months: old.months.map((month) => (month.key === key ? { ...month, columns } : month)),
    }));
    if (columns) dropLeastUsed(filter, state.get().months, usage, observation.has);
  }

  const timeline: CachedTimeline = {
    filter,
    state: {
      get: state.get,
      subscribe(listener) {
        const unsubscribe = state.subscribe(listener);
        const stop = observation.start();
        return () => {
          unsubscribe();
          stop();
        };
      },
    },
    onCacheEvent({ type, query }) {
      if (type !== 'updated' && type !== 'removed') return;
      const [, , kind, month] = query.queryKey as readonly string[];
      if (kind === 'months') readCounts();
      else if (month) readMonth(month);
    },
    async refresh() {
      await queryClient.fetchQuery({ ...countsQuery, staleTime: 0 }).catch(() => undefined);
    },
    async loadMonth(key) {
      usage.note(key);
      if (state.get().months.every((month) => month.key !== key)) return undefined;
      try {
        return (await queryClient.fetchQuery(monthQuery(filter, key))).body;
      } catch {
        // The month stays grey and is asked for again when it is next needed.
        return getColumns(key);
      }
    },
    async loadMonths(wanted) {
      await Promise.all(wanted.map((key) => timeline.loadMonth(key)));
    },
    observeMonths(wanted) {
      for (const key of wanted) usage.note(key);
      observation.setMonths(wanted);
    },
    markFavorites: (ids, isFavorite) => markFavorites(filter, state.get().months, ids, isFavorite),
  };
  return timeline;
}

/** Which months were used last. */
function createUsage() {
  const lastUse = new Map<string, number>();
  let uses = 0;
  return {
    note: (key: string) => void lastUse.set(key, ++uses),
    compare: (a: Month, b: Month) => (lastUse.get(a.key) ?? 0) - (lastUse.get(b.key) ?? 0),
  };
}

/** Removes from the cache what was not used for longest, if more is loaded than there is room for. */
function dropLeastUsed(
  filter: Filter,
  months: readonly Month[],
  usage: ReturnType<typeof createUsage>,
  isObserved: (key: string) => boolean,
): void {
  const all = months.filter(({ columns }) => columns);
  let loaded = all.reduce((sum, { count }) => sum + count, 0);
  if (loaded <= MOST_LOADED) return;
  const droppable = all.filter(({ key }) => !isObserved(key)).toSorted(usage.compare);
  for (const { key, count } of droppable.slice(0, -3)) {
    if (loaded <= MOST_LOADED * 0.8) break;
    loaded -= count;
    queryClient.removeQueries({ queryKey: monthQuery(filter, key).queryKey, exact: true });
  }
}

function markFavorites(
  filter: Filter,
  months: readonly Month[],
  ids: ReadonlySet<string>,
  isFavorite: boolean,
): ReadonlySet<string> {
  const changed = new Set<string>();
  for (const { key, columns } of months) {
    const marked = columns && withFavorites(columns, ids, isFavorite, changed);
    if (!marked || marked === columns) continue;
    void updateData<object>(monthQuery(filter, key).queryKey, (old) => ({ ...old, body: marked }));
  }
  return changed;
}

/** The list says how many photos a month has: any may have changed, another number certainly has. */
async function refetchOutdated(filter: Filter, months: readonly Month[]): Promise<void> {
  const queryKey = [...timelineKey(filter), 'month'];
  await queryClient.invalidateQueries({ queryKey, refetchType: 'none' });
  const outdated = new Set(
    months.filter(({ count, columns }) => columns && columns.id.length !== count).map(getKey),
  );
  if (outdated.size === 0) return;
  const predicate = (query: Query) => outdated.has(String(query.queryKey[3]));
  queryClient
    .getQueryCache()
    .findAll({ queryKey, type: 'active', predicate })
    // A fetch in flight already returns the new items.
    .filter(({ state }) => state.fetchStatus === 'idle')
    .forEach(refetchSoon);
}
const getKey = ({ key }: Month): string => key;

/** Keeps the list of months, and the months that are looked at, up to date while it is started. */
function createObservation(filter: Filter) {
  const refetchInterval = () => pollingInterval(filter);
  const months = new Map<string, { observer: { refresh: () => void }; stop: () => void }>();
  let starts = 0;
  let stopAll = () => {};

  function observe(key: string) {
    const observer = new QueryObserver(queryClient, {
      ...monthQuery(filter, key),
      refetchInterval,
    });
    const stop = observer.subscribe(() => {});
    return { observer: { refresh: () => observer.setOptions({ ...observer.options }) }, stop };
  }

  function setMonths(wanted: readonly string[]): void {
    for (const [key, { stop }] of months) {
      if (wanted.includes(key)) continue;
      stop();
      months.delete(key);
    }
    if (starts === 0) return;
    for (const key of wanted) if (!months.has(key)) months.set(key, observe(key));
  }

  function start(): () => void {
    if (starts++ === 0) {
      const counts = new QueryObserver(queryClient, {
        ...monthCountsQuery(filter),
        refetchInterval,
      });
      const stopCounts = counts.subscribe(() => {});
      // Options that are set again have the interval computed again.
      const stopPolling = onPollingChange(() => {
        counts.setOptions({ ...counts.options });
        for (const { observer } of months.values()) observer.refresh();
      });
      stopAll = () => {
        stopPolling();
        stopCounts();
        setMonths([]);
      };
    }
    return () => {
      if (--starts === 0) stopAll();
    };
  }

  return { start, setMonths, has: (key: string) => months.has(key) };
}

const timelines = new Map<string, CachedTimeline>();

queryClient.getQueryCache().subscribe((event) => {
  const [root, name] = event.query.queryKey;
  if (root === keys.timeline[0]) timelines.get(String(name))?.onCacheEvent(event);
});

/** Returns the one timeline of a filter. */
export function getTimeline(filter: Filter): Timeline {
  const name = JSON.stringify(filter);
  let timeline = timelines.get(name);
  if (!timeline) timelines.set(name, (timeline = createTimeline(filter)));
  return timeline;
}

/** Removes all data of a timeline from memory. */
export const forgetTimeline = (filter: Filter): void =>
  queryClient.removeQueries({ queryKey: timelineKey(filter) });

/** Resolves when no request for a timeline is under way. */
export async function waitUntilIdle(filter: Filter): Promise<void> {
  const queries = queryClient.getQueryCache().findAll({ queryKey: timelineKey(filter) });
  await Promise.allSettled(queries.map(async ({ promise }) => promise));
}
