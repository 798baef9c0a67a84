import type { Sql, TransactionSql } from 'postgres';
import type { Migration } from '../../migrations/index.ts';
import {
  acquireMigrationLock,
  applyMigration,
  CONCURRENT_INDEX,
  isApplied,
  MigrationFailure,
  recordMigration,
} from './migrate.ts';

// Online migrations are applied while other programs work on the database. Each is either one short transaction, or a
// list of indexes that are built beside writes, which no transaction can do.

/** Statements that come after one that waits for a lock wait for it, too. */
const LOCK_MS = 2000;
/** For one statement: the locks of a transaction are held until its end. */
const STATEMENT_MS = 30_000;

/**
 * Applies a migration, through a pool of one connection, unless another process has. What it cannot complete it leaves
 * to the next call. Throws MigrationFailure, also for a lock that was not to be had in time.
 */
export async function applyOnlineMigration(sql: Sql, migration: Migration): Promise<void> {
  const indexes = [...migration.sql.matchAll(CONCURRENT_INDEX)];
  for (const [statement, , , name = ''] of indexes) {
    await buildIndex(sql, name, statement).catch((error: Error) => {
      throw new MigrationFailure(migration.name, error);
    });
  }
  const apply = indexes.length > 0 ? recordMigration : applyMigration;
  await sql.begin(async (tx) => {
    await setLimits(tx, migration);
    if (!(await isApplied(tx, migration))) await apply(tx, migration);
  });
}

async function setLimits(tx: TransactionSql, { name }: Migration): Promise<void> {
  await tx.unsafe(`set local lock_timeout = ${LOCK_MS}`);
  await tx.unsafe(`set local statement_timeout = ${STATEMENT_MS}`);
  await acquireMigrationLock(tx).catch((error: Error) => {
    throw new MigrationFailure(name, error);
  });
}

/** An attempt that was interrupted has left an index that is not valid. */
async function buildIndex(sql: Sql, name: string, statement: string): Promise<void> {
  const [found] = await sql<{ isValid: boolean }[]>`
    select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${name})`;
  if (found?.isValid) return;
  if (found) await sql`drop index concurrently ${sql(name)}`;
  await sql.unsafe(statement);
}
