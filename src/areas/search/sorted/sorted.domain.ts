import type { Ctx } from '../../../core/context.ts';
import { EMPTY_PAGE, type FoundPage, listPage } from '../domain.ts';
import { resolveMatching } from '../query/query-resolution.domain.ts';
import type { SearchQuery } from '../store.ts';
import type { SortedSearch, SORTS } from './sorted.schemas.ts';

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
