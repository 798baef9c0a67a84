import { queryOptions } from '@tanstack/react-query';
import { get, put } from '../../api.ts';
import { mutate } from '../../query-client.ts';
import { keys } from '../../query-keys.ts';
import type { AdminConfig, LockedMember, SafelightConfig } from '../../types.ts';
import { applyChanges, type Changes } from './config-data.ts';

const PATH = '/admin/config';

export const configQuery = () =>
  queryOptions({ queryKey: [...keys.config, 'now'], queryFn: () => get<AdminConfig>(PATH) });

export const defaultsQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'defaults'],
    queryFn: () => get<AdminConfig>(`${PATH}/defaults`),
    staleTime: Infinity,
  });

export const lockedQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'locked'],
    queryFn: () => get<LockedMember[]>(`${PATH}/locked`),
  });

/** The server takes the whole document: the changes are made to what it holds at that moment. */
export const saveChanges = (changes: Changes): Promise<AdminConfig> =>
  mutate(async () => put<AdminConfig>(PATH, applyChanges(await get<AdminConfig>(PATH), changes)), {
    invalidates: [keys.config, keys.server],
  });

const OWN_PATH = `${PATH}/safelight`;

/** The settings that Immich does not have, without secrets. */
export const ownConfigQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'own'],
    queryFn: () => get<SafelightConfig>(OWN_PATH),
  });

export const saveOwnConfig = (config: SafelightConfig): Promise<SafelightConfig> =>
  mutate(() => put(OWN_PATH, config), { invalidates: [keys.config] });
