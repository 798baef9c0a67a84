import type { Matching } from './matching.store.ts';

export type OwnedMatching = Matching & { readonly owners: readonly string[] };

/** Returns whether the matching is the whole scope of its accounts, without any filter. */
export const isWholeScope = (matching: Matching): matching is OwnedMatching =>
  toPrecomputedFilter(matching) !== undefined && Object.keys(matching.filter).length === 0;

/** Returns whether the precomputed counts tell the number of items. */
export const isPrecomputed = (matching: Matching): matching is OwnedMatching =>
  toPrecomputedFilter(matching) !== undefined;

export type PrecomputedFilter = {
  readonly type: string | undefined;
  readonly isFavorite: boolean | undefined;
};

/** Returns undefined if the matching filters by more than the precomputed counts distinguish. */
export function toPrecomputedFilter(matching: Matching): PrecomputedFilter | undefined {
  const { owners, filter, hidden, words, ids, petIds, enrichment, scope, withTrashed } = matching;
  if (!owners || hidden || words !== undefined || scope === 'mixed' || withTrashed)
    return undefined;
  if (ids || petIds || enrichment || matching.isUnstacked || matching.unlike) return undefined;
  const { type, isFavorite, ...rest } = filter;
  if (Object.keys(rest).length > 0) return undefined;
  if (type && (Object.keys(type).length !== 1 || type.eq === undefined)) return undefined;
  return { type: type?.eq, isFavorite: isFavorite?.eq };
}
