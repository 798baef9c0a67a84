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

// Migrations are applied in place. Each is either one transaction, which is short while other programs work on the
// database, or a list of indexes that are built beside writes, which no transaction can do.

/** Statements that come after one that waits for a lock wait for it, too. */
const LOCK_MS = 2000;
/** For one statement: the locks of a transaction are held until its end. */
const STATEMENT_MS = 30_000;
/** The same while nobody else works on the database: one that is stuck must not hold it for ever. */
const LONG_STATEMENT_MS = 2 * 3_600_000;

/**
 * Applies a migration, through a pool of one connection, unless another process has. What it cannot complete it leaves
 * to the next call. `isAlone`: no other program serves the database. Throws MigrationFailure, also for a lock that was
 * not to be had in time.
 */
export async function applyInPlace(
  sql: Sql,
  migration: Migration,
  { isAlone = false } = {},
): Promise<void> {
  const isOnline = typeof migration.online === 'number';
  const indexes = isOnline ? [...migration.sql.matchAll(CONCURRENT_INDEX)] : [];
  for (const [statement, , , name = ''] of indexes) {
    await buildIndex(sql, name, statement).catch((error: Error) => {
      throw new MigrationFailure(migration.name, error);
    });
  }
  const apply = indexes.length > 0 ? recordMigration : applyMigration;
  await sql.begin(async (tx) => {
    await setLimits(tx, migration, isAlone ? LONG_STATEMENT_MS : STATEMENT_MS);
    if (!(await isApplied(tx, migration))) await apply(tx, migration);
  });
}

async function setLimits(
  tx: TransactionSql,
  { name }: Migration,
  statementMs: number,
): Promise<void> {
  await tx.unsafe(`set local lock_timeout = ${LOCK_MS}`);
  await tx.unsafe(`set local statement_timeout = ${statementMs}`);
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
