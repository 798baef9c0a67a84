import { queryOptions } from '@tanstack/react-query';
import { get, readError, post, remove, toUrl } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { BackupState, DatabaseBackups, PostgresUpgrade } from '../types.ts';

/** No event tells that a backup has ended. */
const LIST_MS = 5000;

export const databaseBackupsQuery = () =>
  queryOptions({
    queryKey: [...keys.databaseBackups, 'list'],
    queryFn: () => get<DatabaseBackups>('/admin/database-backups'),
    refetchInterval: LIST_MS,
  });

const CHANGED = { invalidates: [keys.databaseBackups] };

export const startBackup = (): Promise<unknown> =>
  mutate(() => post('/jobs', { name: 'backup-database' }), {
    invalidates: [keys.databaseBackups, keys.jobs],
  });

export const deleteBackup = (name: string): Promise<unknown> =>
  mutate(() => remove('/admin/database-backups', { backups: [name] }), CHANGED);

export const uploadBackup = (file: File): Promise<unknown> =>
  mutate(async () => {
    const body = new FormData();
    body.set('file', file);
    const url = toUrl('/admin/database-backups/upload');
    const response = await fetch(url, { method: 'POST', body });
    if (!response.ok) throw await readError(response);
  }, CHANGED);

export const backupStateQuery = () =>
  queryOptions({
    queryKey: [...keys.databaseBackups, 'state'],
    queryFn: () => get<BackupState>('/admin/database-backups/state'),
    refetchInterval: LIST_MS,
  });

export const startDrill = (filename: string): Promise<unknown> =>
  mutate(() => post('/admin/database-backups/restore-drill', { filename }), {
    invalidates: [keys.databaseBackups, keys.jobs],
  });

export const postgresUpgradeQuery = () =>
  queryOptions({
    queryKey: [...keys.databaseBackups, 'postgres-upgrade'],
    queryFn: () => get<PostgresUpgrade>('/admin/maintenance/postgres-upgrade'),
  });

/** Ends in maintenance mode: the page leaves the application. */
export async function startPostgresUpgrade(): Promise<void> {
  await post('/admin/maintenance/postgres-upgrade');
  location.assign('/maintenance');
}

/** The same. */
export async function startMaintenance(restoreBackupFilename?: string): Promise<void> {
  const action = restoreBackupFilename === undefined ? 'start' : 'restore_database';
  await post('/admin/maintenance', { action, restoreBackupFilename });
  location.assign('/maintenance');
}

/** Returns the time in the name of a backup, as an instant; undefined for an uploaded or renamed one. */
export function parseBackupTime(name: string): string | undefined {
  const stamp = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name);
  if (!stamp) return undefined;
  const [, year, month, day, hour, minute, second] = stamp;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
