import { type QueryKey, QueryObserver } from '@tanstack/react-query';
import { post } from '../../base/api.ts';
import { getLanguage } from '../../base/i18n.ts';
import { queryClient, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { ReadableStore } from '../../base/store.ts';
import { withFavorites } from '../timeline/columns.ts';
import type { Month } from '../timeline/sections.ts';
import type { Filter, Timeline, TimelineState } from '../timeline/timeline-data.ts';
import type { Asset, MonthColumns } from '../types.ts';
import { type FilterFields, type Found as Answer, interpret, type Sort } from './query.ts';

export const PAGE_SIZE = 120;
/** The most results of one request, a whole number of pages. */
const MAX_REQUEST_SIZE = 8 * PAGE_SIZE;

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
> &
  Partial<Pick<Asset, 'isOffline' | 'exifInfo'>>;

/** For listings whose pages are numbered: `size` is one page or several of them. */
export const getPageAfter = (page: string | undefined, size: number): string =>
  String((page ? Number(page) : 1) + size / PAGE_SIZE);

/** Returns a search page by page: with a text in order of similarity, else the newest first, or in the order of `sort`. */
export function createPageFetcher(
  filter: FilterFields,
  text: string | null,
  sort: Sort = text === null ? 'newest' : 'best',
  lessCertain?: boolean,
): FetchPage {
  // Without it, a search finds what is archived too.
  const shown = { visibility: 'timeline', ...filter };
  const asked = text === null ? {} : { query: text, language: getLanguage() };
  if (text === null || sort !== 'best') {
    // Towns of the days are in the metadata.
    const listed = { ...shown, ...asked, ...(lessCertain && { lessCertain }), withExif: true };
    const [path, order] = toOrder(text, sort);
    return async (cursor, size) => {
      const body = { ...listed, ...order, size, ...(cursor && { cursor }) };
      const { assets } = await post<{ assets: Answer }>(path, body);
      return { items: assets.items, next: assets.nextCursor ?? undefined };
    };
  }
  return async (page, size) => {
    const body = { ...shown, ...asked, size, ...(page && { page: Number(page) }) };
    const { assets } = await post<{ assets: Answer }>('/search/smart', body);
    return { items: assets.items, next: assets.nextPage ? getPageAfter(page, size) : undefined };
  };
}

/** Returns the operation that lists in an order, and how that is asked for: days are those of the local clock. */
function toOrder(text: string | null, sort: Sort): [path: string, order: object] {
  if (text !== null || sort === 'recentlyAdded') return ['/search/sorted', { sort }];
  const direction = sort === 'oldest' ? 'asc' : 'desc';
  return ['/search/metadata', { orderBy: { field: 'localDateTime', direction } }];
}

/** Returns results that are less certain, too. */
export const createLessCertainFetcher =
  (words: string): FetchPage =>
  async (page, size) => {
    const asked = { size, lessCertain: true, withExif: true, ...(page && { page: Number(page) }) };
    const { assets } = await interpret(words, asked);
    return { items: assets.items, next: assets.nextPage ? getPageAfter(page, size) : undefined };
  };

/** Pages that were loaded, and the token of the one after them. */
type Listing = { months: readonly Month[]; next: string | undefined };

/** The last month is a place for the next page, until that is loaded. */
const toListing = (pages: readonly Month[], next: string | undefined): Listing => ({
  months:
    next === undefined
      ? pages
      : [...pages, { key: `page-${pages.length + 1}`, count: 0, columns: undefined }],
  next,
});

/**
 * Returns results as a timeline has months: each page is one, the last is fetched when it is looked
 * at. Results of the same name share their place in the cache.
 */
export function createResults(name: QueryKey, fetchPage: FetchPage, filter: Filter = {}): Timeline {
  const queryKey = [...keys.results, ...name];
  const getListing = () => queryClient.getQueryData<Listing>(queryKey);

  /** Fetches again, in one request, as much as was loaded. */
  async function fetchLoaded(): Promise<Listing> {
    const loaded = getListing()?.months.reduce((sum, { count }) => sum + count, 0) ?? 0;
    const size = Math.min(MAX_REQUEST_SIZE, Math.max(1, Math.ceil(loaded / PAGE_SIZE)) * PAGE_SIZE);
    const { items, next } = await fetchPage(undefined, size);
    if (items.length === 0) return toListing([], undefined);
    return toListing([{ key: 'page-1', count: items.length, columns: toColumns(items) }], next);
  }

  async function fetchNext(key: string): Promise<MonthColumns | undefined> {
    const before = getListing();
    if (before?.next === undefined || before.months.at(-1)?.key !== key) return undefined;
    const { items, next } = await queryClient.fetchQuery({
      queryKey: [...queryKey, 'page', before.next],
      queryFn: () => fetchPage(before.next, PAGE_SIZE),
      gcTime: 0,
    });
    const columns = toColumns(items);
    const page = { key, count: items.length, columns };
    // Meanwhile everything may have been fetched again.
    if (getListing() !== before) return undefined;
    queryClient.setQueryData<Listing>(
      queryKey,
      toListing([...before.months.slice(0, -1), page], next),
    );
    return columns;
  }

  const options = { queryKey, queryFn: fetchLoaded, structuralSharing: false } as const;
  const results: Timeline = {
    filter,
    state: createListingStore(queryKey, new QueryObserver<Listing>(queryClient, options)),
    async refresh() {
      await queryClient.fetchQuery({ ...options, staleTime: 0 }).catch(() => undefined);
    },
    async loadMonth(key) {
      const month = getListing()?.months.find((one) => one.key === key);
      if (!month || month.columns) return month?.columns;
      return fetchNext(key).catch(() => undefined);
    },
    async loadMonths(wanted) {
      await Promise.all(wanted.map((key) => results.loadMonth(key)));
    },
    observeMonths: (wanted) => void results.loadMonths(wanted),
    markFavorites(ids, isFavorite) {
      const changed = new Set<string>();
      const months = getListing()?.months.map((month) => ({
        ...month,
        columns: month.columns && withFavorites(month.columns, ids, isFavorite, changed),
      }));
      if (changed.size === 0 || !months) return changed;
      void updateData<Listing>(queryKey, (old) => ({ ...old, months }));
      return changed;
    },
  };
  return results;
}

/**
 * Shows the loaded results of a name in another order. Returns false, and changes nothing, if `last` is the last that is
 * loaded of more.
 */
export function reorderResults(
  name: QueryKey,
  order: (ids: readonly string[]) => readonly string[],
  last: string,
): boolean {
  const queryKey = [...keys.results, ...name];
  const before = queryClient.getQueryData<Listing>(queryKey);
  const columns = before && joinColumns(before.months);
  if (!columns || (before.next !== undefined && columns.id.at(-1) === last)) return false;
  const places = new Map(columns.id.map((id, at) => [id, at]));
  const moved = pickItems(
    columns,
    order(columns.id).flatMap((id) => places.get(id) ?? []),
  );
  const page = { key: 'page-1', count: moved.id.length, columns: moved };
  queryClient.setQueryData<Listing>(queryKey, toListing([page], before.next));
  return true;
}

/** Results are fetched when something subscribes, and again when they are invalidated meanwhile. */
function createListingStore(
  queryKey: QueryKey,
  observer: QueryObserver<Listing>,
): ReadableStore<TimelineState> {
  const NONE: Listing['months'] = [];
  let state: TimelineState = { status: 'loading', error: undefined, months: NONE };
  return {
    subscribe: (listener) => observer.subscribe(listener),
    get() {
      const query = queryClient.getQueryState<Listing>(queryKey);
      const months = query?.data?.months ?? NONE;
      const status = query?.data ? 'ready' : query?.status === 'error' ? 'failed' : 'loading';
      const error = status === 'failed' ? query?.error : undefined;
      if (state.status !== status || state.months !== months || state.error !== error) {
        state = { status, error, months };
      }
      return state;
    },
  };
}

const HOUR_MS = 3_600_000;

function toColumns(items: readonly Found[]): MonthColumns {
  return {
    id: items.map(({ id }) => id),
    ownerId: items.map(({ ownerId }) => ownerId),
    ratio: items.map(({ width, height }) => (width && height ? width / height : 1)),
    isFavorite: items.map(({ isFavorite }) => isFavorite),
    visibility: items.map(({ visibility }) => visibility),
    isTrashed: items.map(({ isTrashed }) => isTrashed),
    isImage: items.map(({ type }) => type === 'IMAGE'),
    isAudio: items.map(({ type }) => type === 'AUDIO'),
    isOffline: items.map(({ isOffline }) => isOffline ?? false),
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
    city: items.map(({ exifInfo }) => exifInfo?.city ?? null),
    country: items.map(({ exifInfo }) => exifInfo?.country ?? null),
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

/** Returns these items of columns, in this order. */
function pickItems(columns: MonthColumns, places: readonly number[]): MonthColumns {
  const entries = Object.entries(columns).map(([name, values]) => [
    name,
    places.map((at) => (values as unknown[])[at]),
  ]);
  return Object.fromEntries(entries) as MonthColumns;
}
