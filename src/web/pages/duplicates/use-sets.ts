import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { invalidate, queryClient } from '../../base/query-client.ts';
import { type DuplicateSet, type Summary } from '../../data/duplicates/duplicate-data.ts';
import {
  duplicateSetsQuery,
  duplicateSummaryQuery,
  prependSet,
  removeSet,
  type SetKind,
} from '../../data/duplicates/queries.ts';

/** So near the end of the loaded sets, more are fetched. */
const PRELOAD_DISTANCE = 4;

export type Sets = {
  /** The loaded sets that are not decided yet. */
  readonly sets: readonly DuplicateSet[] | undefined;
  readonly summary: Summary | undefined;
  readonly error: Error | null;
  /** Index of the set that is looked at. */
  readonly index: number;
  readonly setIndex: (index: number) => void;
  /** Removes a set that was decided. */
  readonly remove: (set: DuplicateSet) => void;
  /** Shows a set that is open again. */
  readonly restore: (set: DuplicateSet) => void;
  readonly reload: () => void;
};

const countAgain = () => void invalidate([duplicateSummaryQuery().queryKey]);

/** The sets page by page; those that were decided make room for the next ones. */
export function useSets(kind: SetKind): Sets {
  const { data: summary } = useQuery(duplicateSummaryQuery());
  const {
    data: sets,
    error,
    hasNextPage,
    fetchNextPage,
  } = useInfiniteQuery(duplicateSetsQuery(kind));
  const [index, setIndex] = useState(0);

  const isWanted = hasNextPage && !error && index >= (sets?.length ?? 0) - PRELOAD_DISTANCE;
  useEffect(() => {
    if (isWanted) void fetchNextPage();
  }, [isWanted, sets, fetchNextPage]);

  const reload = useCallback(() => {
    setIndex(0);
    void queryClient.resetQueries({ queryKey: duplicateSetsQuery(kind).queryKey });
    countAgain();
  }, [kind]);

  return {
    sets,
    summary,
    error,
    index: Math.min(index, Math.max(0, (sets?.length ?? 1) - 1)),
    setIndex,
    reload,
    remove: (set) => {
      removeSet(kind, set);
      countAgain();
    },
    restore: (set) => {
      prependSet(kind, set);
      setIndex(0);
      countAgain();
    },
  };
}
