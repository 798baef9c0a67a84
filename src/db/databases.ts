import type { Sql } from 'postgres';
import { Failure } from '../core/command-line.ts';
import { changeAddress, getDatabaseName, parsePostgresAddress } from '../core/postgres-url.ts';
import { connect, getAddress } from './address.ts';
import { getSqlState } from './errors.ts';
import { retryThroughOutage } from './outage.ts';
import { getRow } from './query.ts';

// Whole databases: made, replaced by each other, dropped. While one is replaced it is closed: it refuses
// connections, of superusers too, so that nobody writes what its replacement would lack. PostgreSQL
// remembers that, and what interrupted it is put right by `reopenAbandoned`.

export const toUrl = (url: string, name: string): string => changeAddress(url, { database: name });

/** The current database cannot be renamed or closed through a connection to itself. */
export const withAdmin = <T>(url: string, work: (admin: Sql) => Promise<T>): Promise<T> =>
  withConnection(toUrl(url, 'postgres'), work);

export async function withConnection<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** An empty database for a restore, in place of the leftover of an interrupted one. */
export async function createEmpty(sql: Sql, name: string): Promise<void> {
  await dropDatabase(sql, name);
  await sql`create database ${sql(name)} encoding 'UTF8' template template0`;
  await untilKnown(sql, name);
}

const KNOWN_WITHIN_MS = 30_000;
const UNKNOWN_DATABASE = '3D000';

/**
 * Resolves when the standbys know a new database, too. Of several hosts the first one that answers may be a standby: it is
 * passed over as one, unless it refuses the connection before, since it has not replayed the creation.
 */
async function untilKnown(sql: Sql, name: string): Promise<void> {
  const url = toUrl(getAddress(sql), name);
  if (parsePostgresAddress(url).hosts.length < 2) return;
  for (const end = performance.now() + KNOWN_WITHIN_MS; ; await Bun.sleep(100)) {
    try {
      return await withConnection(url, async (connection) => void (await connection`select`));
    } catch (error) {
      if (getSqlState(error) !== UNKNOWN_DATABASE || performance.now() > end) throw error;
    }
  }
}

/**
 * Drops a database and ends its clients. `with (force)` would refuse an owner who is no superuser while an
 * autovacuum worker is in the database; without it PostgreSQL ends the worker by itself.
 */
export const dropDatabase = (sql: Sql, name: string): Promise<void> =>
  withoutClients(sql, [name], () => sql`drop database if exists ${sql(name)}`);

/**
 * Puts one database in the place of another, which is closed and is kept under a third name, and opens
 * both, or changes nothing. Throws Failure when the lock of `whileClosed` was lost with its connection.
 */
export async function swapDatabases(
  sql: Sql,
  names: { readonly current: string; readonly next: string; readonly kept: string },
): Promise<void> {
  const { current, next, kept } = names;
  const swap = () =>
    sql.begin(async (tx) => {
      const [held] = await tx`
        select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
          and classid = ${LOCK_KEY}::int::oid and objid = hashtext(${current})::oid`;
      if (!held) throw new Failure('The connection to the database was lost');
      await tx`alter database ${tx(current)} rename to ${tx(kept)}`;
      await tx`alter database ${tx(next)} rename to ${tx(current)}`;
      for (const name of [current, kept]) {
        await tx`alter database ${tx(name)} with allow_connections true`;
      }
    });
  await withoutClients(sql, [current, next], swap);
}

/** A client that connected just before it was refused is counted by PostgreSQL, but not listed yet. */
const ATTEMPTS = 5;

/** Runs a statement for which the databases must have no clients. */
async function withoutClients(
  sql: Sql,
  names: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await endClients(sql, names);
    try {
      await work();
      return;
    } catch (error) {
      if (getSqlState(error) !== OBJECT_IN_USE || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Processes of the server have no name of a user, and end by themselves. */
const endClients = (sql: Sql, names: readonly string[]): Promise<unknown> =>
  sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = any(${[...names]}) and usename is not null and pid <> pg_backend_pid()`;

const OBJECT_IN_USE = '55006';

class BeingReplaced extends Failure {
  constructor() {
    super('The database is being replaced by a restore at the moment');
  }
}

/**
 * Runs the work while the database has no clients and refuses connections, and no other process works on it so: nothing
 * is written that the work would miss. Opens it again, or what the work has put in its place.
 */
export async function whileClosed(
  sql: Sql,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  if (!(await acquireReplacementLock(sql, name))) throw new BeingReplaced();
  try {
    await sql`alter database ${sql(name)} with allow_connections false`;
    await endClients(sql, [name]);
    await work();
  } finally {
    await retryThroughOutage(() => reopen(sql, name)).catch(() => {});
  }
}

/** Unless another process works on it, after this one has lost its lock with its connection. */
async function reopen(sql: Sql, name: string): Promise<void> {
  if (!(await acquireReplacementLock(sql, name))) throw new BeingReplaced();
  await sql`alter database ${sql(name)} with allow_connections true`;
}

/** Opens a database that an interrupted replacement has left closed. Throws Failure while one runs. */
export async function reopenAbandoned(url: string): Promise<void> {
  const isRefused = await withConnection(url, (sql) => sql`select`).then(
    () => false,
    (error: unknown) => getSqlState(error) === NOT_ACCEPTING,
  );
  if (isRefused) await withAdmin(url, (admin) => reopen(admin, getDatabaseName(url)));
}

/** A large library is restored in less. */
const REPLACED_WITHIN_MS = 3_600_000;
const REPLACED_PAUSE_MS = 1000;

/** The same, but waits for the end of a replacement that runs. */
export async function untilReplaced(url: string, onWait: () => void): Promise<void> {
  for (const end = performance.now() + REPLACED_WITHIN_MS; ; await Bun.sleep(REPLACED_PAUSE_MS)) {
    try {
      return await reopenAbandoned(url);
    } catch (error) {
      if (!(error instanceof BeingReplaced) || performance.now() > end) throw error;
      onWait();
    }
  }
}

/** SQLSTATE of a connection to a database that is closed; of statements as well, for other reasons. */
export const NOT_ACCEPTING = '55000';

/** In bytes. */
export async function getSize(sql: Sql, name: string): Promise<number> {
  const rows = await sql<{ size: number }[]>`select pg_database_size(${name})::float8 as size`;
  return getRow(rows).size;
}

/** Returns the names of databases that begin with this, in order. */
export async function listDatabases(sql: Sql, prefix: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select datname as name from pg_database where starts_with(datname, ${prefix}) order by datname`;
  return rows.map(({ name }) => name);
}

const LOCK_KEY = 7_203_003;

/** Returns false when another process replaces a database; else it holds the lock until it disconnects. */
export async function acquireReplacementLock(sql: Sql, name: string): Promise<boolean> {
  const rows = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_lock(${LOCK_KEY}::int, hashtext(${name})) as locked`;
  return getRow(rows).locked;
}
