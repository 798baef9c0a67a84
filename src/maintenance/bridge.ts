import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import type { DataPaths } from '../core/paths.ts';
import { POOL_PREFIX } from '../db/client.ts';
import { clearState, type MaintenanceState, readState } from './state.ts';

// What libraries of 0.2.0 need. This file stays until 0.4.0. That version updated a copy of the database and swapped it
// in, could go back to the one before, and kept no list of its processes in the database.

/** Endings of the names of databases that its updates have left. */
export const FORMER_LEFTOVERS = ['_failed'];

const FORMER_FILES = ['failed-update.json', 'served.json'];

type FormerState = MaintenanceState & {
  /** An update that has begun, or has failed. */
  readonly upgrade?: unknown;
  /** A rollback that has not begun. */
  readonly rollBack?: unknown;
};

/** Forgets its updates and rollbacks: whatever became of them, the database is whole, and is updated in place. */
export function forgetFormerUpdates(paths: Pick<DataPaths, 'maintenance'>): void {
  for (const name of FORMER_FILES) rmSync(join(paths.maintenance, name), { force: true });
  const state: FormerState | undefined = readState(paths);
  if (state?.upgrade !== undefined || state?.rollBack !== undefined) clearState(paths);
}

/** Returns the names of the pools of its servers and workers that are connected to this database. */
export async function listFormerNodes(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name in ${sql(['server', 'worker'].map((pool) => `${POOL_PREFIX}${pool}`))}
    order by 1`;
  return rows.map(({ name }) => name.slice(POOL_PREFIX.length));
}
