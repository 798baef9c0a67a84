import type { Ctx } from '../../core/context.ts';
import { type Bytes, toBytes, toJsonArray } from '../../core/json-bytes.ts';
import { EMPTY_PAGE, type FoundPage, listPage, toSearchQuery } from './domain.ts';
import { rememberSearch } from './remembered.ts';
import type { MetadataSearch } from './schemas.ts';

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
