import type { Sql } from 'postgres';

/** An empty database for a restore, in place of the leftover of an interrupted one. */
export async function createEmpty(sql: Sql, name: string): Promise<void> {
  await dropDatabase(sql, name);
  await sql`create database ${sql(name)} encoding 'UTF8' template template0`;
}

/** Below it, copying through the write-ahead log is faster than a checkpoint and a copy of the files. */
const COPY_FILES_BYTES = 1024 ** 3;

/** A copy of a database, whose other connections are closed. */
export async function createCopy(sql: Sql, from: string, name: string): Promise<void> {
  await dropDatabase(sql, name);
  const strategy = (await getSize(sql, from)) < COPY_FILES_BYTES ? 'wal_log' : 'file_copy';
  await closeConnections(sql, [from]);
  await sql`create database ${sql(name)} template ${sql(from)} strategy ${sql(strategy)}`;
}

export async function dropDatabase(sql: Sql, name: string): Promise<void> {
  await sql`drop database if exists ${sql(name)} with (force)`;
}

/** Puts one database in the place of another, which is kept under a third name, or changes nothing. */
export async function swapDatabases(
  sql: Sql,
  names: { readonly current: string; readonly next: string; readonly kept: string },
): Promise<void> {
  const { current, next } = names;
  await closeConnections(sql, [current, next]);
  await sql.begin(async (tx) => {
    await tx`alter database ${tx(current)} rename to ${tx(names.kept)}`;
    await tx`alter database ${tx(next)} rename to ${tx(current)}`;
  });
}

async function closeConnections(sql: Sql, names: readonly string[]): Promise<void> {
  await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = any(${[...names]}) and pid <> pg_backend_pid()`;
}

/** In bytes. */
export async function getSize(sql: Sql, name: string): Promise<number> {
  const [row] = await sql`select pg_database_size(${name})::float8 as size`;
  return Number(row!['size']);
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
  const [row] = await sql`
    select pg_try_advisory_lock(${LOCK_KEY}::int, hashtext(${name})) as locked`;
  return row!['locked'] as boolean;
}
