import type { TestDatabase, TestUser } from '../support/harness.ts';

export type Place = { readonly database: TestDatabase; readonly people: readonly TestUser[] };

/** The n-th row of a table, counted round and round; undefined while there is none. */
export const pick = async (
  { database: { sql } }: Place,
  table: string,
  n: number,
  field = 'id',
) => {
  const rows = await sql`select * from ${sql(table)} order by ${sql(field)}`;
  return rows.length > 0 ? rows[n % rows.length] : undefined;
};

/** The same of what one account owns. */
export const pickRow = async (
  { database: { sql } }: Place,
  table: string,
  n: number,
  ownerId: string,
) => {
  const rows = await sql`select * from ${sql(table)} where owner_id = ${ownerId} order by id`;
  return rows.length > 0 ? rows[n % rows.length] : undefined;
};
