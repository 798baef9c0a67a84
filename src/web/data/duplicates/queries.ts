import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { type DuplicateSet, fetchBursts, fetchSets, fetchSummary } from './duplicate-data.ts';

export const duplicateSummaryQuery = () =>
  queryOptions({ queryKey: [...keys.duplicates, 'summary'], queryFn: fetchSummary });

const PAGE_SIZE = 20;

const FETCHES = { duplicates: fetchSets, bursts: fetchBursts } as const;
export type SetKind = keyof typeof FETCHES;

export type SetPage = { readonly sets: readonly DuplicateSet[]; readonly isLast: boolean };

const listSets = (pages: readonly SetPage[]): DuplicateSet[] => pages.flatMap(({ sets }) => sets);

/**
 * The sets that are not decided yet, page by page. The server no longer lists decided sets, so the
 * next page is counted from those that are still open here.
 */
export const duplicateSetsQuery = (kind: SetKind) =>
  infiniteQueryOptions({
    queryKey: [...keys.duplicates, 'sets', kind],
    queryFn: async ({ pageParam }): Promise<SetPage> => {
      const found = await FETCHES[kind](pageParam, PAGE_SIZE);
      const known = new Set(getKnownIds(kind));
      const sets = found.filter(({ duplicateId }) => !known.has(duplicateId));
      return { sets, isLast: found.length < PAGE_SIZE || sets.length === 0 };
    },
    initialPageParam: 1,
    getNextPageParam: (last, pages) =>
      last.isLast ? undefined : Math.floor(listSets(pages).length / PAGE_SIZE) + 1,
    select: ({ pages }) => listSets(pages),
    // Somebody works through the list: it changes by their decisions only, and begins anew each time.
    staleTime: Infinity,
    gcTime: 0,
  });

const getKnownIds = (kind: SetKind): string[] =>
  listSets(queryClient.getQueryData(duplicateSetsQuery(kind).queryKey)?.pages ?? []).map(
    ({ duplicateId }) => duplicateId,
  );

function updateSets(kind: SetKind, update: (pages: readonly SetPage[]) => SetPage[]): void {
  queryClient.setQueryData(
    duplicateSetsQuery(kind).queryKey,
    (old) => old && { ...old, pages: update(old.pages) },
  );
}

const without = (pages: readonly SetPage[], id: string): SetPage[] =>
  pages.map((page) => ({
    ...page,
    sets: page.sets.filter(({ duplicateId }) => duplicateId !== id),
  }));

/** Removes a decided set from the list. */
export const removeSet = (kind: SetKind, { duplicateId }: DuplicateSet): void =>
  updateSets(kind, (pages) => without(pages, duplicateId));

/** Puts a set that is open again first in the list. */
export const prependSet = (kind: SetKind, set: DuplicateSet): void =>
  updateSets(kind, (pages) =>
    without(pages, set.duplicateId).map((page, index) =>
      index === 0 ? { ...page, sets: [set, ...page.sets] } : page,
    ),
  );
