import { queryOptions } from '@tanstack/react-query';
import { get, put } from '../../base/api.ts';
import { mutate, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { PreferenceHistory, Preferences } from '../types.ts';
import { preferencesQuery } from './queries.ts';

export const preferenceHistoryQuery = () =>
  queryOptions({
    queryKey: [...keys.preferences, 'history'],
    queryFn: () => get<PreferenceHistory>('/users/me/preferences/history'),
  });

/** Is seen at once; the answer of the server replaces it. */
export const changePreferences = (change: Partial<Preferences>): Promise<Preferences> =>
  mutate(() => put<Preferences>('/users/me/preferences', change), {
    invalidates: [preferenceHistoryQuery().queryKey],
    replaces: preferencesQuery().queryKey,
    apply: () =>
      updateData<Preferences>(preferencesQuery().queryKey, (old) => ({ ...old, ...change })),
  });
