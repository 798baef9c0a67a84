import type { Matching } from '../match/matching.store.ts';

export type OwnedMatching = Matching & { readonly owners: readonly string[] };

/** A whole scope of accounts: the counts that are kept say how many there are. */
export const isShelfOnly = (matching: Matching): matching is OwnedMatching =>
  keptFilterOf(matching) !== undefined && Object.keys(matching.filter).length === 0;

export type KeptFilter = {
  readonly type: string | undefined;
  readonly isFavorite: boolean | undefined;
};

/** What the kept counts by month tell apart; undefined when the matching asks for more. */
export function keptFilterOf(matching: Matching): KeptFilter | undefined {
  const { owners, filter, hidden, words, ids, petIds, enrichment, scope, withTrashed } = matching;
  if (!owners || hidden || words !== undefined || scope === 'mixed' || withTrashed)
    return undefined;
  if (ids || petIds || enrichment || matching.isUnstacked) return undefined;
  const { type, isFavorite, ...rest } = filter;
  if (Object.keys(rest).length > 0) return undefined;
  if (type && (Object.keys(type).length !== 1 || type.eq === undefined)) return undefined;
  return { type: type?.eq, isFavorite: isFavorite?.eq };
}
