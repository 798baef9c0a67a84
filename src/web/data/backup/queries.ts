import { queryOptions } from '@tanstack/react-query';
import { get, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { BackupDevices } from '../types.ts';

/** No event tells what devices report. */
const POLLING_MS = 15_000;
const MOST_DEVICES = 100;

export const backupDevicesQuery = () =>
  queryOptions({
    queryKey: keys.backup,
    queryFn: () => get<BackupDevices>('/users/me/backup-devices', { limit: MOST_DEVICES }),
    refetchInterval: POLLING_MS,
  });

export const deleteBackupDevice = (id: string): Promise<void> =>
  mutate(() => remove(`/users/me/backup-devices/${id}`), { invalidates: [keys.backup] });
