import { getScopeKey } from '../../access/batch.ts';
import type { Ctx } from '../../core/context.ts';
import { type Bytes, toBytes } from '../../core/json-bytes.ts';
import { defineResponses } from '../../read-cache/responses.ts';
import { EMPTY_PAGE, listPage } from './domain.ts';
import type { Filter, FilterBranch } from './match/filter.schemas.ts';
import { toSearchQuery } from './match/matching.domain.ts';
import { formatSearchResponse } from './page-json.ts';
import type { MetadataSearch } from './schemas.ts';
import type { SearchQuery } from './store.ts';

const remember = defineResponses('search pages');

/** Returns a page of a search as JSON of SearchResponseDto. */
export async function renderSearch(ctx: Ctx, search: MetadataSearch): Promise<Bytes> {
  const query = await toSearchQuery(ctx, search);
  if (!query) return toBytes(formatSearchResponse(EMPTY_PAGE));
  const build = async () => toBytes(formatSearchResponse(await listPage(ctx, query, search)));
  if (!isCoveredByLog(query) || search.withPeople) return build();
  const { size, page, cursor, withStacked } = search;
  const key = [getScopeKey(ctx.session), query, size, page, cursor, withStacked];
  return remember(ctx, { key, owners: query.owners }, build);
}

/** Filters by what the change log of the owner of an item tells: its row, its metadata, tags and people. */
const COVERED: ReadonlySet<keyof Filter> = new Set([
  'checksum',
  'city',
  'country',
  'createdAt',
  'description',
  'fileSizeInBytes',
  'hasPeople',
  'hasTags',
  'id',
  'isBroken',
  'isDamaged',
  'isFavorite',
  'isMotion',
  'isOffline',
  'lensModel',
  'libraryId',
  'make',
  'model',
  'originalFileName',
  'personIds',
  'rating',
  'state',
  'tagIds',
  'takenAt',
  'takenOn',
  'trashedAt',
  'type',
  'updatedAt',
  'visibility',
]);

/** Returns whether the change log of its owners tells of everything that the page depends on. */
function isCoveredByLog(
  query: SearchQuery,
): query is SearchQuery & { readonly owners: readonly string[] } {
  const { owners, hidden, words, petIds, enrichment, filter } = query;
  if (!owners || hidden || words !== undefined || petIds || enrichment) return false;
  const { or = [], ...branch } = filter;
  const isCovered = (each: FilterBranch) =>
    Object.keys(each).every((name) => COVERED.has(name as keyof Filter));
  return isCovered(branch) && or.every(isCovered);
}
