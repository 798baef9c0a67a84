import type { Sql } from 'postgres';

/** An empty database for a restore, in place of what an interrupted one left. */
export async function createEmpty(sql: Sql, name: string): Promise<void> {
  await sql`drop database if exists ${sql(name)}`;
  await sql`create database ${sql(name)} encoding 'UTF8' template template0`;
}

/** Puts one database in the place of another, which is kept under a third name. */
export async function swapDatabases(
  sql: Sql,
  names: { readonly current: string; readonly next: string; readonly kept: string },
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`alter database ${tx(names.current)} rename to ${tx(names.kept)}`;
    await tx`alter database ${tx(names.next)} rename to ${tx(names.current)}`;
  });
}
