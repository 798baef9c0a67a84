import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { migrations } from '../../migrations/index.ts';
import type { DataPaths } from '../core/paths.ts';
import { POOL_PREFIX } from '../db/client.ts';
import { getSqlState } from '../db/errors.ts';
import { acquireMigrationLock, recordMigration } from '../db/migrate.ts';
import { clearState, type MaintenanceState, readState } from './state.ts';

// Compatibility with libraries of 0.2.0. This file stays until 0.4.0. That version updated a copy of the database and swapped it
// in, which a crash could leave with a table that cannot be read; it could go back to the one before, and kept no list of
// its processes in the database.

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

/** The last migrations of 0.2.0, and of the development versions between it and 0.3.0. */
const [LAST_RELEASED, LAST_DEVELOPMENT] = ['0033_composites', '0079_unread_indexes'];

/**
 * Takes over a library of the last development version before 0.3.0: it has the schema of 0.3.0, by migrations that were
 * folded since. Those of versions before that one are refused.
 */
export async function adoptDevelopmentSchema(sql: Sql): Promise<void> {
  const [table] = await sql`select to_regclass('schema_migration') is not null as there`;
  if (!table?.['there']) return;
  const found = await sql`select from schema_migration where name = ${LAST_DEVELOPMENT}`;
  if (found.length === 0) return;
  await sql.begin(async (tx) => {
    await acquireMigrationLock(tx);
    await tx.unsafe(`
      alter table asset_exif disable trigger user;
      update asset_exif set asset_owner_id = owner_id, asset_taken_at = taken_at from asset
        where id = asset_id and asset_owner_id is null;
      alter table asset_exif enable trigger user;
      drop index asset_exif_ownerless, asset_exif_city, asset_exif_city_name, asset_exif_state,
        asset_exif_make, asset_exif_model, asset_exif_lens, asset_broken, asset_damaged,
        asset_trash, asset_trash_name, asset_trash_size, asset_trash_taken;
      create index asset_faulty on asset (owner_id, created_at, id)
        where broken_reason is not null or damage is not null;
      create index asset_trashed on asset (owner_id, trashed_at desc, id desc)
        include (locked_at, local_taken_at, file_size, file_name)
        where visibility in ('timeline', 'archive') and trashed_at is not null;
      delete from job where name = 'assets.fillExifOwners';`);
    await tx`delete from schema_migration where name > ${LAST_RELEASED}`;
    for (const migration of migrations.filter(({ name }) => name > LAST_RELEASED))
      await recordMigration(tx, migration);
  });
}

/** SQLSTATE of a table or an index whose pages are not what PostgreSQL has written: data and index corrupted. */
const CORRUPTED = /^XX00[12]$/;

/**
 * Empties each unlogged table that cannot be read, and builds its indexes anew. Such a table holds nothing that has to
 * survive a crash; one whose initial copy was lost with the crash stops every statement that names it. Returns
 * the names of the tables.
 */
export async function emptyUnreadableTables(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relpersistence = 'u' and relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const emptied: string[] = [];
  for (const { name } of tables) {
    if (await isReadable(sql, name)) continue;
    await sql`truncate ${sql(name)}`;
    emptied.push(name);
  }
  return emptied;
}

/** The planner reads the first page of each index, whether it uses the index or not. */
const isReadable = (sql: Sql, name: string): Promise<boolean> =>
  sql`select count(*) from ${sql(name)}`.then(
    () => true,
    (error: unknown) => {
      if (CORRUPTED.test(getSqlState(error) ?? '')) return false;
      throw error;
    },
  );
