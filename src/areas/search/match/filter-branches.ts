import type { Filter, FilterBranch } from './filter.schemas.ts';

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
