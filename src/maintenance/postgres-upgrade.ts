import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { notFound } from '../core/errors.ts';
import { getErrorMessage } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import type { Settings } from '../core/settings.ts';
import { findUpgrade } from '../db/cluster.ts';
import { type MaintenanceState, writeState } from './state.ts';

// Upgrades of PostgreSQL as administrators see them: which one there is, and why the last one has failed.

type Paths = Pick<DataPaths, 'maintenance' | 'postgres'>;
type Failed = { readonly failedAt: string; readonly error: string };

/** Returns the major versions of an upgrade, and the failure of the last one; null for none. */
export const getPostgresUpgrade = (
  paths: Paths,
  { databaseUrl }: Pick<Settings, 'databaseUrl'>,
) => ({
  upgrade: (databaseUrl ? undefined : findUpgrade(paths.postgres)) ?? null,
  failure: readFailure(paths),
});

/** The server follows in maintenance mode. Throws 404 when no newer PostgreSQL is installed. */
export function requestPostgresUpgrade(
  paths: Paths,
  settings: Pick<Settings, 'databaseUrl'>,
): MaintenanceState {
  if (!getPostgresUpgrade(paths, settings).upgrade) throw notFound('Newer PostgreSQL');
  return writeState(paths, { action: 'start', upgradePostgres: true });
}

const INTERRUPTED = 'The upgrade was interrupted: by the end of the server, or of the machine.';

/** Remembers how the work has failed, also when this process is killed, until it succeeds. */
export async function recordFailure<T>(
  paths: Pick<DataPaths, 'maintenance'>,
  work: () => Promise<T>,
): Promise<T> {
  writeFailure(paths, INTERRUPTED);
  try {
    const result = await work();
    rmSync(getFile(paths), { force: true });
    return result;
  } catch (error) {
    writeFailure(paths, getErrorMessage(error as Error));
    throw error;
  }
}

const getFile = ({ maintenance }: Pick<DataPaths, 'maintenance'>) =>
  join(maintenance, 'postgres-upgrade.json');

function writeFailure(paths: Pick<DataPaths, 'maintenance'>, error: string): void {
  const failed: Failed = { failedAt: new Date().toISOString(), error };
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  writeFileSync(getFile(paths), JSON.stringify(failed), { mode: 0o600 });
}

function readFailure(paths: Pick<DataPaths, 'maintenance'>): Failed | null {
  try {
    return JSON.parse(readFileSync(getFile(paths), 'utf8')) as Failed;
  } catch {
    return null;
  }
}
