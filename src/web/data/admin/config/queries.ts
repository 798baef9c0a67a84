import { queryOptions } from '@tanstack/react-query';
import { MEDIA_FOLDERS } from '../../../../areas/system-config/document/media-folders.ts';
import { get, put } from '../../../base/api.ts';
import { mutate } from '../../../base/query-client.ts';
import { keys } from '../../query-keys.ts';
import type { AdminConfig, Config, LockedMember } from '../../types.ts';
import { applyChanges, type Changes } from './config-data.ts';
import type { Subject } from './members.ts';

/** The defaults of the members that Immich's document does not have. */
const OWN_DEFAULTS: Omit<Config, keyof AdminConfig> = {
  webhooks: { hosts: [], secret: '' },
  physicalDeduplication: { masterUserId: null, formerFiles: 'leave' },
  integrity: { backupFolders: [] },
  libraries: { folders: MEDIA_FOLDERS, writeSidecars: false },
  machine: { profile: 'auto' },
};

export const configQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'now'],
    queryFn: async (): Promise<Config> => {
      const [document, own] = await Promise.all([
        get<AdminConfig>('/admin/config'),
        get<Omit<Config, keyof AdminConfig>>('/admin/config/safelight'),
      ]);
      return { ...document, ...own };
    },
  });

export const defaultsQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'defaults'],
    queryFn: async (): Promise<Config> => ({
      ...(await get<AdminConfig>('/admin/config/defaults')),
      ...OWN_DEFAULTS,
    }),
    staleTime: Infinity,
  });

export const lockedQuery = () =>
  queryOptions({
    queryKey: [...keys.config, 'locked'],
    queryFn: () => get<LockedMember[]>('/admin/config/locked'),
  });

/** The server takes the whole document: the changes are made to what it holds at that moment. */
export const saveChanges = (path: Subject['document'], changes: Changes): Promise<unknown> =>
  mutate(async () => put(path, applyChanges(await get<Partial<Config>>(path), changes)), {
    invalidates: [keys.config, keys.server, keys.databaseBackups],
  });
