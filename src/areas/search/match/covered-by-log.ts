import type { Filter, FilterBranch } from './filter.schemas.ts';
import type { Matching } from './matching.store.ts';

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

/** Returns whether the change log of its owners tells of everything that the set depends on. */
export function isCoveredByLog<M extends Matching>(
  matching: M,
): matching is M & { readonly owners: readonly string[] } {
  const { owners, hidden, words, labels, unlike, ids, petIds, enrichment, filter } = matching;
  const byContent = [words, labels, unlike, ids, petIds, enrichment];
  if (!owners || hidden || byContent.some((value) => value !== undefined)) return false;
  const { or = [], ...branch } = filter;
  const isCovered = (each: FilterBranch) =>
    Object.keys(each).every((name) => COVERED.has(name as keyof Filter));
  return isCovered(branch) && or.every(isCovered);
}
