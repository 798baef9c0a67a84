import { getScopeKey } from '../../access/batch.ts';
import type { Ctx } from '../../core/context.ts';
import { decodeCursor, encodeCursor, type Position } from '../../db/keyset.ts';
import { findKnownPages } from '../../read-cache/pages.ts';
import {
  createPeopleLookup,
  createStackLookup,
  findBodies,
  getAssetId,
  setMembers,
  toViewOptions,
} from '../assets/index.ts';
import { rememberSearch, toMatching } from './match/matching.domain.ts';
import {
  findNewestMembers,
  FEW_MATCHES,
  findRecentMonth,
  findTextPage,
  isOfTextPart,
  MANY_MATCHES,
} from './newest-page.store.ts';
import type { MetadataSearch } from './schemas.ts';
import { findPage, type FoundAsset, type SearchQuery, type Window } from './store.ts';
import { type Bytes, toBytes, toJsonArray } from '../../core/json-bytes.ts';
import { resolveMatching } from './query/query-resolution.domain.ts';
import type { SortedSearch, SORTS } from './sorted/sorted.schemas.ts';

/** Returns a page of a search as JSON of SearchResponseDto. */
export async function renderSearch(ctx: Ctx, search: MetadataSearch): Promise<Bytes> {
  const query = await toSearchQuery(ctx, search);
  if (!query) return toBytes(formatSearchResponse(EMPTY_PAGE));
  const build = async () => toBytes(formatSearchResponse(await listPage(ctx, query, search)));
  if (search.withPeople) return build();
  const { size, page, cursor, withStacked } = search;
  return rememberSearch(ctx, query, ['page', size, page, cursor, withStacked], build);
}

const NO_ALBUMS = JSON.stringify({ total: 0, count: 0, items: [], facets: [] });

/** Returns the JSON text of SearchResponseDto. */
export const formatSearchResponse = (page: FoundPage): string =>
  `{"albums":${NO_ALBUMS},"assets":${formatSearchAssets(page)}}`;

/** Returns the JSON text of SearchAssetResponseDto. */
export function formatSearchAssets({ items, nextPage, nextCursor }: FoundPage): string {
  // Clients expect the size of the page as the total: the whole is not counted.
  const total = items.length;
  const rest = JSON.stringify({ facets: [], nextPage, nextCursor });
  return `{"total":${total},"count":${total},"items":${toJsonArray(items)},${rest.slice(1)}`;
}

const DEFAULT_SIZE = 250;

/** One page of a search. */
export type FoundPage = {
  /** JSON text of AssetResponseDto. */
  readonly items: readonly string[];
  readonly nextPage: string | null;
  readonly nextCursor: string | null;
};
export const EMPTY_PAGE: FoundPage = { items: [], nextPage: null, nextCursor: null };

/**
 * Checks the caller's filters and merges both generations of them. Undefined when nothing can
 * match.
 */
async function toSearchQuery(ctx: Ctx, search: MetadataSearch): Promise<SearchQuery | undefined> {
  const matching = await toMatching(ctx, search, { scope: 'library' });
  if (!matching) return undefined;
  return {
    ...matching,
    // The order would tell guests ratings and file sizes.
    field:
      ctx.session.kind === 'user' ? (search.orderBy?.field ?? 'fileCreatedAt') : 'fileCreatedAt',
    direction: search.orderBy?.direction ?? search.order ?? 'desc',
    withExif: search.withExif === true,
  };
}

/** Returns one page, by page number or by cursor; the cursor wins where both are given. */
export async function searchMetadata(
  ctx: Ctx,
  search: MetadataSearch,
  { unlike }: Pick<SearchQuery, 'unlike'> = {},
): Promise<FoundPage> {
  const query = await toSearchQuery(ctx, search);
  return query ? listPage(ctx, { ...query, unlike }, search) : EMPTY_PAGE;
}

type PageRequest = Pick<MetadataSearch, 'cursor' | 'page' | 'size' | 'withPeople' | 'withStacked'>;

export async function listPage(
  ctx: Ctx,
  query: SearchQuery,
  request: PageRequest,
): Promise<FoundPage> {
  const { size = DEFAULT_SIZE, cursor, page = 1 } = request;
  // Results of a text are ranked anew for each page: their positions are not worth remembering.
  const isByNumber = cursor === undefined && query.ids === undefined;
  const { rows, next } = isByNumber
    ? await findPageByNumber(ctx, query, { page, size })
    : await findPageFrom(ctx, query, {
        start: cursor === undefined ? undefined : decodeCursor(cursor),
        size,
      });
  return {
    items: await listBodies(
      ctx,
      query,
      rows.map(({ name }) => name),
      request,
    ),
    nextPage: next && isByNumber ? String(page + 1) : null,
    nextCursor: next ? encodeCursor(next) : null,
  };
}

/** Returns the JSON text of assets by the names of their bodies, in the order given, with people and stacks where asked for. */
export async function listBodies(
  ctx: Ctx,
  query: Pick<SearchQuery, 'withExif'>,
  names: readonly string[],
  { withPeople, withStacked }: Pick<MetadataSearch, 'withPeople' | 'withStacked'> = {},
): Promise<string[]> {
  const options = toViewOptions(ctx.session, query.withExif);
  const bodies = await findBodies(ctx, names, options);
  const isPlain = !withPeople && !withStacked;
  if (isPlain) return bodies.filter((body) => body !== undefined);
  const ids = names.map(getAssetId);
  const getStack =
    withStacked && options.showMetadata ? await createStackLookup(ctx, ids) : undefined;
  const getPeople =
    withPeople && options.showMetadata ? await createPeopleLookup(ctx, ids) : undefined;
  return bodies.flatMap((body, at) => {
    const id = ids[at];
    if (body === undefined || id === undefined) return [];
    const people = withPeople && { people: getPeople?.(id) ?? [] };
    return [setMembers(body, { ...people, ...(getStack && { stack: getStack(id) }) })];
  });
}

type Page = { readonly rows: readonly FoundAsset[]; readonly next: Position | undefined };

async function findPageFrom(
  ctx: Ctx,
  query: SearchQuery,
  { size, start, offset = 0 }: { size: number; start: Position | undefined; offset?: number },
): Promise<Page> {
  const window = { start, offset, limit: size + 1 };
  const rows = await findRows(ctx, query, window);
  const [last] = rows.splice(size);
  return { rows, next: last && toPosition(last) };
}

async function findRows(ctx: Ctx, query: SearchQuery, window: Window): Promise<FoundAsset[]> {
  const members = await findNewestMembers(ctx, query, window);
  if (members) {
    const { ids, since } = members;
    const rows = await findPage(ctx, { ...query, filter: {}, ids }, { ...window, since });
    if (rows.length === window.limit || since === undefined) return rows;
  }
  return isOfTextPart(query) ? findTextRows(ctx, query, window) : findPage(ctx, query, window);
}

/** Sorts all matches where they are few; else looks at the newest items first, which soon have a page of a usual text. */
async function findTextRows(ctx: Ctx, query: SearchQuery, window: Window): Promise<FoundAsset[]> {
  const readSorted = async (maximum: number) => {
    const ids = await findTextPage(ctx, query, window, maximum);
    const { limit } = window;
    const page = { offset: 0, start: undefined, limit };
    return ids && findPage(ctx, { ...query, filter: {}, ids }, page);
  };
  const few = await readSorted(FEW_MATCHES);
  if (few) return few;
  const since = await findRecentMonth(ctx, query, window);
  const newest = since === undefined ? [] : await findPage(ctx, query, { ...window, since });
  if (newest.length === window.limit) return newest;
  return (await readSorted(MANY_MATCHES)) ?? findPage(ctx, query, window);
}

async function findPageByNumber(
  ctx: Ctx,
  query: SearchQuery,
  { page, size }: { page: number; size: number },
): Promise<Page> {
  // The position of a page is its first row.
  const listing = JSON.stringify([getScopeKey(ctx.session), query, size]);
  const pages = findKnownPages<Position>(ctx, listing);
  const first = (page - 1) * size;
  const known = pages.findNearest(first);
  const offset = first - (known?.offset ?? 0);
  const found = await findPageFrom(ctx, query, { start: known?.position, offset, size });
  const [row] = found.rows;
  if (page > 1 && row) pages.remember({ offset: first, position: toPosition(row) });
  if (found.next) pages.remember({ offset: first + size, position: found.next });
  return found;
}

const toPosition = (row: FoundAsset): Position => ({
  value: row.position,
  id: getAssetId(row.name),
});

const ORDERS: Readonly<Record<(typeof SORTS)[number], Pick<SearchQuery, 'field' | 'direction'>>> = {
  newest: { field: 'localDateTime', direction: 'desc' },
  oldest: { field: 'localDateTime', direction: 'asc' },
  recentlyAdded: { field: 'createdAt', direction: 'desc' },
};

/** Returns a page of all that a search finds, by time: with a text, too, which has no other effect on the order. */
export async function searchSorted(
  ctx: Ctx,
  { sort = 'newest', withExif = false, ...search }: SortedSearch,
): Promise<FoundPage> {
  const { size: _size, cursor: _cursor, ...asked } = search;
  const matching = await resolveMatching(ctx, asked);
  if (!matching) return EMPTY_PAGE;
  return listPage(ctx, { ...matching, ...ORDERS[sort], withExif }, search);
}
