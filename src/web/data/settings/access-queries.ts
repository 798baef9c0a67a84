import { queryOptions } from '@tanstack/react-query';
import { get, post, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { ApiKey, DeviceSession, NewApiKey, PublicConfig } from '../types.ts';

/** The ways to log in. */
export const publicConfigQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'public-config'],
    queryFn: () => get<PublicConfig>('/public/config'),
  });

export const apiKeysQuery = () =>
  queryOptions({ queryKey: keys.apiKeys, queryFn: () => get<ApiKey[]>('/api-keys') });

const API_KEYS = { invalidates: [keys.apiKeys] };
export const createApiKey = (name: string, permissions: readonly string[]): Promise<NewApiKey> =>
  mutate(() => post('/api-keys', { name, permissions }), API_KEYS);
export const deleteApiKey = (id: string): Promise<void> =>
  mutate(() => remove(`/api-keys/${id}`), API_KEYS);

/** Where the account is logged in. */
export const devicesQuery = () =>
  queryOptions({ queryKey: keys.devices, queryFn: () => get<DeviceSession[]>('/sessions') });

const DEVICES = { invalidates: [keys.devices] };
export const logOutDevice = (id: string): Promise<void> =>
  mutate(() => remove(`/sessions/${id}`), DEVICES);
export const logOutOtherDevices = (): Promise<void> => mutate(() => remove('/sessions'), DEVICES);
