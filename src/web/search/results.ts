import { messageOf, post } from '../api.ts';
import { createRefresh } from '../refresh.ts';
import { createStore } from '../store.ts';
import type { Month } from '../timeline/sections.ts';
import type { Filter, Timeline, TimelineState } from '../timeline/timeline-data.ts';
import type { Asset, MonthColumns } from '../types.ts';
import type { FilterFields, Found as Answer } from './query.ts';

export const PAGE_SIZE = 120;
/** Whole pages, and no more than one request may answer. */
const MOST = 8 * PAGE_SIZE;

export type FetchPage = (token: string | undefined, size: number) => Promise<Page>;
type Page = { items: readonly Found[]; next: string | undefined };

/** As much of a photo as the grid shows. */
export type Found = Pick<
  Asset,
  | 'id'
  | 'ownerId'
  | 'width'
  | 'height'
  | 'isFavorite'
  | 'visibility'
  | 'isTrashed'
  | 'type'
  | 'thumbhash'
  | 'fileCreatedAt'
  | 'createdAt'
  | 'localDateTime'
  | 'duration'
  | 'livePhotoVideoId'
>;

/** For listings whose pages are numbered: `size` is one page or several of them. */
export const pageAfter = (page: string | undefined, size: number): string =>
  String((page ? Number(page) : 1) + size / PAGE_SIZE);

/** What a search finds, page by page; with a text in the order of likeness, else by time. */
export function pagesOf(filter: FilterFields, text: string | null): FetchPage {
  // Without it, a search finds what is archived too.
  const shown = { visibility: 'timeline', ...filter };
  if (text === null) {
    return async (cursor, size) => {
      const body = { ...shown, size, ...(cursor && { cursor }) };
      const { assets } = await post<{ assets: Answer }>('/search/metadata', body);
      return { items: assets.items, next: assets.nextCursor ?? undefined };
    };
  }
  return async (page, size) => {
    const body = { ...shown, query: text, size, ...(page && { page: Number(page) }) };
    const { assets } = await post<{ assets: Answer }>('/search/smart', body);
    return { items: assets.items, next: assets.nextPage ? pageAfter(page, size) : undefined };
  };
}

/** Results as a timeline has months: each page is one, the last is fetched when it is looked at. */
export function createResults(fetchPage: FetchPage, filter: Filter = {}): Timeline {
  const state = createStore<TimelineState>({ status: 'loading', error: undefined, months: [] });
  const tokens = new Map<string, string>();
  const loading = new Map<string, Promise<MonthColumns | undefined>>();

  const placeFor = (next: string | undefined, number: number): Month[] => {
    if (next === undefined) return [];
    const key = `page-${number}`;
    tokens.set(key, next);
    return [{ key, count: 0, columns: undefined }];
  };

  async function fetchAgain(): Promise<void> {
    const shown = state.get().months.reduce((sum, { count }) => sum + count, 0);
    try {
      const size = Math.min(MOST, Math.max(1, Math.ceil(shown / PAGE_SIZE)) * PAGE_SIZE);
      const { items, next } = await fetchPage(undefined, size);
      const first = { key: 'page-1', count: items.length, columns: columnsOf(items) };
      const months = items.length > 0 ? [first, ...placeFor(next, 2)] : [];
      state.set({ status: 'ready', error: undefined, months });
    } catch (error) {
      if (state.get().status === 'ready') return;
      state.set((old) => ({ ...old, status: 'failed', error: messageOf(error) }));
    }
  }

  async function fetchNext(key: string): Promise<MonthColumns | undefined> {
    const before = state.get().months;
    const { items, next } = await fetchPage(tokens.get(key), PAGE_SIZE);
    // Meanwhile everything may have been asked for again.
    if (state.get().months.at(-1) !== before.at(-1)) return undefined;
    const columns = columnsOf(items);
    const page = { key, count: items.length, columns };
    const months = [...before.slice(0, -1), page, ...placeFor(next, before.length + 1)];
    state.set((old) => ({ ...old, months }));
    return columns;
  }

  const results: Timeline = {
    filter,
    state,
    refresh: createRefresh(fetchAgain).refresh,
    load(key) {
      const month = state.get().months.find((one) => one.key === key);
      if (!month || month.columns) return Promise.resolve(month?.columns);
      let work = loading.get(key);
      if (!work) {
        work = fetchNext(key)
          .catch(() => undefined)
          .finally(() => loading.delete(key));
        loading.set(key, work);
      }
      return work;
    },
    see: (keys) => results.need(keys),
    async need(keys) {
      await Promise.all(keys.map((key) => results.load(key)));
    },
    mark(ids, isFavorite) {
      const changed = new Set<string>();
      const months = state.get().months.map((month) => {
        if (!month.columns) return month;
        const { id, isFavorite: old } = month.columns;
        const marked = id.map((one, item) => {
          if (!ids.has(one) || old[item] === isFavorite) return old[item]!;
          changed.add(one);
          return isFavorite;
        });
        return { ...month, columns: { ...month.columns, isFavorite: marked } };
      });
      state.set((old) => ({ ...old, months }));
      return changed;
    },
  };
  return results;
}

const HOUR_MS = 3_600_000;

function columnsOf(items: readonly Found[]): MonthColumns {
  return {
    id: items.map(({ id }) => id),
    ownerId: items.map(({ ownerId }) => ownerId),
    ratio: items.map(({ width, height }) => (width && height ? width / height : 1)),
    isFavorite: items.map(({ isFavorite }) => isFavorite),
    visibility: items.map(({ visibility }) => visibility),
    isTrashed: items.map(({ isTrashed }) => isTrashed),
    isImage: items.map(({ type }) => type === 'IMAGE'),
    thumbhash: items.map(({ thumbhash }) => thumbhash),
    fileCreatedAt: items.map(({ fileCreatedAt }) => fileCreatedAt),
    createdAt: items.map(({ createdAt }) => createdAt),
    localOffsetHours: items.map(
      ({ localDateTime, fileCreatedAt }) =>
        (Date.parse(localDateTime) - Date.parse(fileCreatedAt)) / HOUR_MS,
    ),
    duration: items.map(({ duration }) => duration),
    projectionType: items.map(() => null),
    livePhotoVideoId: items.map(({ livePhotoVideoId }) => livePhotoVideoId ?? null),
  };
}

/** All that has come so far, as one. */
export function joinColumns(months: readonly Month[]): MonthColumns | undefined {
  const loaded = months.flatMap(({ columns }) => (columns ? [columns] : []));
  const [first, ...rest] = loaded;
  if (!first || rest.length === 0) return first;
  const all: Record<string, unknown[]> = {};
  for (const name of Object.keys(first) as (keyof MonthColumns)[]) {
    all[name] = loaded.flatMap((columns) => (columns[name] ?? []) as unknown[]);
  }
  return all as unknown as MonthColumns;
}
