import { toJsonArray } from '../../core/json-bytes.ts';
import type { FoundPage } from './domain.ts';

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
