import { queryOptions } from '@tanstack/react-query';
import { get, post, put, remove } from '../api.ts';
import { mutate, updateData } from '../query-client.ts';
import { keys } from '../query-keys.ts';
import type {
  ApiKey,
  DeviceSession,
  NewApiKey,
  Partner,
  PreferenceHistory,
  Preferences,
  PublicConfig,
  ServerAbout,
} from '../types.ts';

export const aboutQuery = () =>
  queryOptions({
    queryKey: [...keys.server, 'about'],
    queryFn: () => get<ServerAbout>('/server/about'),
  });

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

export type PartnerDirection = 'shared-by' | 'shared-with';

/** The accounts that this timeline is shared with ('shared-by'), or that share theirs. */
export const partnersQuery = (direction: PartnerDirection) =>
  queryOptions({
    queryKey: [...keys.partners, direction],
    queryFn: () => get<Partner[]>('/partners', { direction }),
  });

const PARTNERS = { invalidates: [keys.partners, keys.timeline, keys.results] };
type Sharing = Pick<Partner, 'hidesPlaces' | 'sharedFrom'>;
export const addPartner = (sharedWithId: string, sharing: Sharing): Promise<Partner> =>
  mutate(() => post('/partners', { sharedWithId, ...sharing }), PARTNERS);
export const removePartner = (id: string): Promise<void> =>
  mutate(() => remove(`/partners/${id}`), PARTNERS);
/** `sharedFrom: null` shares all. */
type PartnerChange = Pick<Partner, 'inTimeline' | 'hidesPlaces'> & { sharedFrom?: string | null };

/** Is seen at once. */
export const changePartner = (
  direction: PartnerDirection,
  id: string,
  change: PartnerChange,
): Promise<Partner> =>
  mutate(() => put(`/partners/${id}`, change), {
    ...PARTNERS,
    apply: () =>
      updateData<Partner[]>(partnersQuery(direction).queryKey, (partners) =>
        partners.map((partner) => (partner.id === id ? applyChange(partner, change) : partner)),
      ),
  });

const applyChange = (
  { sharedFrom: before, ...partner }: Partner,
  { sharedFrom = before, ...change }: PartnerChange,
): Partner => ({ ...partner, ...change, ...(sharedFrom && { sharedFrom }) });

export const preferencesQuery = () =>
  queryOptions({
    queryKey: [...keys.preferences, 'now'],
    queryFn: () => get<Preferences>('/users/me/preferences'),
  });

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
