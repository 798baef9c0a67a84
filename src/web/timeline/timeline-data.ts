import { getVersioned, messageOf } from '../api.ts';
import { createRefresh } from '../refresh.ts';
import { createStore, type Store } from '../store.ts';
import type { MonthColumns, MonthCount } from '../types.ts';
import type { Month } from './sections.ts';

/** Which photos a timeline shows; the words of the API's own query. */
export type Filter = {
  visibility?: 'timeline' | 'archive' | 'locked';
  isFavorite?: boolean;
  isTrashed?: boolean;
  albumId?: string;
  tagId?: string;
  /** One photo stands for each stack. */
  withStacked?: boolean;
  /** Also photos of people who share theirs. */
  withPartners?: boolean;
};

export type TimelineState = {
  status: 'loading' | 'ready' | 'failed';
  error: string | undefined;
  months: readonly Month[];
};

export type Timeline = {
  filter: Filter;
  state: Store<TimelineState>;
  /** Asks whether anything changed; cheap when nothing did. */
  refresh(): Promise<void>;
  /** Loads the months that are not here yet or may be out of date. */
  need(keys: readonly string[]): Promise<void>;
  /** The same for those that are looked at; they are kept fresh. */
  see(keys: readonly string[]): Promise<void>;
  load(key: string): Promise<MonthColumns | undefined>;
  /** When nothing is being asked any more. */
  rest?(): Promise<void>;
  /** Shows a change at once, before the server has said yes. Answers which it was for. */
  mark(ids: ReadonlySet<string>, isFavorite: boolean): ReadonlySet<string>;
};

/** The list of months says how many photos each has, not whether one of them changed. */
const FRESH_MS = 30_000;
/** Above so many loaded photos, the months that were not looked at for longest are let go. */
const MOST_LOADED = 150_000;

/** Those on the screen. */
const shown = new Set<Timeline>();

export function createTimeline(filter: Filter): Timeline {
  const state = createStore<TimelineState>({ status: 'loading', error: undefined, months: [] });
  const etags = new Map<string, string | undefined>();
  const stale = new Set<string>();
  const lastUse = new Map<string, number>();
  const lastAsked = new Map<string, number>();
  /** The months that are looked at. */
  let inView: readonly string[] = [];
  const loading = new Map<string, Promise<MonthColumns | undefined>>();
  let listTag: string | undefined;
  let uses = 0;

  const monthOf = (key: string) => state.get().months.find((month) => month.key === key);

  async function fetchList(): Promise<void> {
    try {
      const answer = await getVersioned<MonthCount[]>('/timeline/buckets', filter, listTag);
      if (!answer) {
        if (state.get().status !== 'ready')
          state.set((old) => ({ ...old, status: 'ready', error: undefined }));
        return await look();
      }
      listTag = answer.etag;
      state.set((old) => {
        const known = new Map(old.months.map((month) => [month.key, month.columns]));
        const months = answer.body.map(({ timeBucket, count }) => ({
          key: timeBucket,
          count,
          columns: known.get(timeBucket),
        }));
        // The list does not say which months changed inside: ask for each when it is seen.
        for (const month of months) if (month.columns) stale.add(month.key);
        return { status: 'ready', error: undefined, months };
      });
    } catch (error) {
      if (state.get().status === 'ready') return;
      state.set((old) => ({ ...old, status: 'failed', error: messageOf(error) }));
    }
  }

  /** Asks for what is in view once more, for the rest when it comes into view again. */
  async function look(): Promise<void> {
    const old = performance.now() - FRESH_MS;
    for (const [key, asked] of lastAsked) if (asked < old) stale.add(key);
    if (!shown.has(timeline)) return;
    for (const key of inView) stale.add(key);
    await timeline.need(inView);
  }

  async function fetchMonth(key: string): Promise<MonthColumns | undefined> {
    const before = monthOf(key)?.columns;
    const tag = before ? etags.get(key) : undefined;
    stale.delete(key);
    lastAsked.set(key, performance.now());
    try {
      const query = { ...filter, timeBucket: key };
      const answer = await getVersioned<MonthColumns>('/timeline/bucket', query, tag);
      if (!answer) return before;
      etags.set(key, answer.etag);
      putColumns(key, answer.body);
      return answer.body;
    } catch {
      // The month stays grey and is asked for again when it is next needed.
      if (before) stale.add(key);
      return before;
    }
  }

  function putColumns(key: string, columns: MonthColumns): void {
    state.set((old) => ({
      ...old,
      months: letGo(old.months.map((month) => (month.key === key ? { ...month, columns } : month))),
    }));
  }

  function letGo(months: readonly Month[]): readonly Month[] {
    let loaded = months.reduce((sum, month) => sum + (month.columns ? month.count : 0), 0);
    if (loaded <= MOST_LOADED) return months;
    const drop = new Set<string>();
    const oldestFirst = months
      .filter((month) => month.columns)
      .toSorted((a, b) => (lastUse.get(a.key) ?? 0) - (lastUse.get(b.key) ?? 0));
    for (const month of oldestFirst.slice(0, -3)) {
      if (loaded <= MOST_LOADED * 0.8) break;
      loaded -= month.count;
      drop.add(month.key);
    }
    return months.map((month) => (drop.has(month.key) ? { ...month, columns: undefined } : month));
  }

  const { refresh, rest } = createRefresh(fetchList);
  const timeline: Timeline = {
    filter,
    state,
    refresh,
    load(key) {
      lastUse.set(key, ++uses);
      const month = monthOf(key);
      if (!month) return Promise.resolve(undefined);
      if (month.columns && !stale.has(key)) return Promise.resolve(month.columns);
      let work = loading.get(key);
      if (!work) {
        work = fetchMonth(key).finally(() => loading.delete(key));
        loading.set(key, work);
      }
      return work;
    },
    async rest() {
      await Promise.allSettled([rest(), ...loading.values()]);
    },
    see(keys) {
      inView = keys;
      return timeline.need(keys);
    },
    async need(keys) {
      await Promise.all(keys.map((key) => timeline.load(key)));
    },
    mark(ids, isFavorite) {
      const changed = new Set<string>();
      for (const { columns } of state.get().months) {
        for (const [item, id] of columns?.id.entries() ?? []) {
          if (ids.has(id) && columns?.isFavorite[item] !== isFavorite) changed.add(id);
        }
      }
      state.set((old) => ({
        ...old,
        months: old.months.map((month) => markMonth(month, changed, isFavorite)),
      }));
      return changed;
    },
  };
  return timeline;
}

function markMonth(month: Month, ids: ReadonlySet<string>, isFavorite: boolean): Month {
  const { columns } = month;
  if (!columns?.id.some((id) => ids.has(id))) return month;
  const marked = columns.isFavorite.map((old, item) =>
    ids.has(columns.id[item]!) ? isFavorite : old,
  );
  return { ...month, columns: { ...columns, isFavorite: marked } };
}

/** Timelines live on while the person looks at another page, so coming back is instant. */
const timelines = new Map<string, Timeline>();

export function timelineOf(filter: Filter): Timeline {
  const name = JSON.stringify(filter);
  let timeline = timelines.get(name);
  if (!timeline) timelines.set(name, (timeline = createTimeline(filter)));
  return timeline;
}

export const forgetTimelines = (): void => timelines.clear();
/** What was behind the PIN is not kept in memory when it is closed again. */
export const forgetTimeline = (filter: Filter): void =>
  void timelines.delete(JSON.stringify(filter));

export function show(timeline: Timeline): () => void {
  shown.add(timeline);
  return () => void shown.delete(timeline);
}
/** After a change that may touch any of them. Those that are not shown ask when they are. */
export async function refreshTimelines(): Promise<void> {
  await Promise.all([...shown].map((timeline) => timeline.refresh()));
}
