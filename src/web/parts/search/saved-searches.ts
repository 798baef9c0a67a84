import { queryOptions } from '@tanstack/react-query';
import type { SavedSearch } from '../../../areas/search/saved/saved.schemas.ts';
import { get, post, remove } from '../../base/api.ts';
import { t } from '../../base/i18n.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../../data/query-keys.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import { type Query, searchPath } from '../../data/search/query.ts';

export type { SavedSearch };

export const savedSearchesQuery = () =>
  queryOptions({
    queryKey: keys.savedSearches,
    queryFn: () => get<SavedSearch[]>('/search/saved'),
  });

type Named = Pick<SavedSearch, 'name' | 'words' | 'chips' | 'sort'>;

export const saveSearch = (search: Named): Promise<SavedSearch> =>
  mutate(() => post<SavedSearch>('/search/saved', search), { invalidates: [keys.savedSearches] });

export async function deleteSearch({ id, ...search }: SavedSearch): Promise<void> {
  const isDeleted = await attempt(() =>
    mutate(() => remove(`/search/saved/${id}`), { invalidates: [keys.savedSearches] }),
  );
  const { createdAt: _, ...named } = search;
  if (isDeleted) showUndo(t('Saved search removed'), () => attempt(() => saveSearch(named)));
}

/** Returns the address of a saved search. */
export const toSavedPath = ({ words, chips, sort }: Omit<Named, 'name'>): string =>
  searchPath({ words, chosen: chips, ...(sort && { sort }) });

export const toSaved = ({ words, chosen, sort }: Query): Omit<Named, 'name'> => ({
  words,
  chips: [...chosen],
  ...(sort && { sort }),
});

/** Returns the saved search that finds the same in the same order. */
export const findSaved = (list: readonly SavedSearch[], query: Query): SavedSearch | undefined =>
  list.find((search) => toSavedPath(search) === toSavedPath(toSaved(query)));
