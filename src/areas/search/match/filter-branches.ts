import type { Filter, FilterBranch } from './filter.schemas.ts';
import type { Matching } from './matching.store.ts';

/** Returns the conditions of a filter that hold together, and those of each alternative. */
export const listBranches = ({ or = [], ...filter }: Filter): FilterBranch[] => [filter, ...or];

/**
 * Returns the albums in which everything is that a filter selects: those that it names, or each of its alternatives.
 * Undefined where it selects other items, too.
 */
export function findSearchedAlbums({ or = [], ...filter }: Filter): string[] | undefined {
  const named = listWanted(filter);
  if (named.length > 0) return named;
  const branches = or.map(listWanted);
  const areAll = branches.length > 0 && branches.every((ids) => ids.length > 0);
  return areAll ? branches.flat() : undefined;
}

const listWanted = ({ albumIds: { all = [], any = [] } = {} }: FilterBranch): string[] => [
  ...all,
  ...any,
];

/** Returns the albums that a filter names, also to exclude them. */
export const listAlbumIds = (filter: Filter): string[] =>
  listBranches(filter).flatMap(({ albumIds: { all = [], any = [], none = [] } = {} }) => [
    ...all,
    ...any,
    ...none,
  ]);

/**
 * Filters by what the change log of the owner of an item tells: its row, its metadata, tags and people; and by albums,
 * which have a log of their own.
 */
const COVERED: ReadonlySet<keyof Filter> = new Set([
  'albumIds',
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

/** Returns whether the change log of its `listLogScopes` tells of everything that the set depends on. */
export function isCoveredByLog<M extends Matching>(
  matching: M,
): matching is M & { readonly owners: readonly string[] } {
  const { owners, hidden, words, labels, unlike, ids, petIds, enrichment, filter } = matching;
  const byContent = [words, labels, unlike, ids, petIds, enrichment];
  if (!owners || hidden || byContent.some((value) => value !== undefined)) return false;
  return listBranches(filter).every((branch) =>
    Object.keys(branch).every((name) => COVERED.has(name as keyof Filter)),
  );
}

/** Returns the owners of a set that is covered by the log, and the albums that its filter names. */
export const listLogScopes = ({
  owners,
  filter,
}: Matching & { readonly owners: readonly string[] }): string[] => [
  ...new Set([...owners, ...listAlbumIds(filter)]),
];
