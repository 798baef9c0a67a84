import type { Filter, FilterBranch } from './filter.schemas.ts';

/** Returns the conditions of a filter that hold together, and those of each alternative. */
export const listBranches = ({ or = [], ...filter }: Filter): FilterBranch[] => [filter, ...or];

/** Returns the albums that a filter names, also to exclude them. */
export const listAlbumIds = (filter: Filter): string[] =>
  listBranches(filter).flatMap(({ albumIds: { all = [], any = [], none = [] } = {} }) => [
    ...all,
    ...any,
    ...none,
  ]);
