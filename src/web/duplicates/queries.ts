import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../query-client.ts';
import { keys } from '../query-keys.ts';
import { type DuplicateSet, fetchSets, fetchSummary } from './duplicate-data.ts';

export const duplicateSummaryQuery = () =>
  queryOptions({ queryKey: [...keys.duplicates, 'summary'], queryFn: fetchSummary });

const PAGE_SIZE = 20;

export type SetPage = { readonly sets: readonly DuplicateSet[]; readonly isLast: boolean };

const listSets = (pages: readonly SetPage[]): DuplicateSet[] => pages.flatMap(({ sets }) => sets);

/**
 * The sets that are not decided yet, page by page. The server no longer lists decided sets, so the
 * next page is counted from those that are still open here.
 */
export const duplicateSetsQuery = () =>
  infiniteQueryOptions({
    queryKey: [...keys.duplicates, 'sets'],
    queryFn: async ({ pageParam }): Promise<SetPage> => {
      const found = await fetchSets(pageParam, PAGE_SIZE);
      const known = new Set(getKnownIds());
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

const getKnownIds = (): string[] =>
  listSets(queryClient.getQueryData(duplicateSetsQuery().queryKey)?.pages ?? []).map(
    ({ duplicateId }) => duplicateId,
  );

function updateSets(update: (pages: readonly SetPage[]) => SetPage[]): void {
  queryClient.setQueryData(
    duplicateSetsQuery().queryKey,
    (old) => old && { ...old, pages: update(old.pages) },
  );
}

const without = (pages: readonly SetPage[], id: string): SetPage[] =>
  pages.map((page) => ({
    ...page,
    sets: page.sets.filter(({ duplicateId }) => duplicateId !== id),
  }));

/** Removes a decided set from the list. */
export const removeSet = ({ duplicateId }: DuplicateSet): void =>
  updateSets((pages) => without(pages, duplicateId));

/** Puts a set that is open again first in the list. */
export const prependSet = (set: DuplicateSet): void =>
  updateSets((pages) =>
    without(pages, set.duplicateId).map((page, index) =>
      index === 0 ? { ...page, sets: [set, ...page.sets] } : page,
    ),
  );
