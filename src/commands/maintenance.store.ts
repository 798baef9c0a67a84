import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';

export type OriginalRow = {
  readonly sha256: Uint8Array;
  /** Bytes. */
  readonly size: number;
  /** The last check did not find these bytes. */
  readonly isMissing: boolean;
};

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
  const rows = await queryRows(
    db,
    sql`
    select sha256, size::float8 as size, missing_at is not null as "isMissing" from original
    where ${from} ${until} order by sha256 limit ${range.limit}`,
  );
  return rows as unknown as OriginalRow[];
}

/** Returns the bytes of originals. */
export async function sumOriginals(
  db: Db,
  { after, end }: Pick<Range, 'after' | 'end'>,
): Promise<number> {
  const until = end ? sql`and sha256 < ${end}` : sql``;
  const [row] = await queryRows<{ bytes: number }>(
    db,
    sql`
    select coalesce(sum(size), 0)::float8 as bytes from original where sha256 >= ${after} ${until}`,
  );
  return row!.bytes;
}

/** Records what a check has found. False when the original is gone by now. */
export async function markMissing(
  db: Db,
  sha256: Uint8Array,
  isMissing: boolean,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    update original set missing_at = ${isMissing ? sql`now()` : sql`null`}
    where sha256 = ${sha256} returning 1`,
  );
  return rows.length > 0;
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
