import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Db } from '../db/client.ts';

export type OriginalRow = { readonly sha256: Uint8Array; readonly size: number };

type Range = {
  readonly after: Uint8Array;
  readonly inclusive: boolean;
  /** Exclusive; undefined: to the last. */
  readonly end: Uint8Array | undefined;
  readonly limit: number;
};

export async function listOriginals(db: Db, range: Range): Promise<readonly OriginalRow[]> {
  const from = range.inclusive ? sql`sha256 >= ${range.after}` : sql`sha256 > ${range.after}`;
  const until = range.end ? sql`and sha256 < ${range.end}` : sql``;
  const rows = await db.execute(sql`
    select sha256, size::float8 as size from original
    where ${from} ${until} order by sha256 limit ${range.limit}`);
  return rows as unknown as OriginalRow[];
}

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
