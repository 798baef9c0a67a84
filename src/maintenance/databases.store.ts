import type { Sql } from 'postgres';

/** An empty database for a restore, in place of the leftover of an interrupted one. */
export async function createEmpty(sql: Sql, name: string): Promise<void> {
  await dropDatabase(sql, name);
  await sql`create database ${sql(name)} encoding 'UTF8' template template0`;
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
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname in (${current}, ${next}) and pid <> pg_backend_pid()`;
  await sql.begin(async (tx) => {
    await tx`alter database ${tx(current)} rename to ${tx(names.kept)}`;
    await tx`alter database ${tx(next)} rename to ${tx(current)}`;
  });
}
