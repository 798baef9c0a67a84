import type { Sql } from 'postgres';
import { getRow } from '../db/query.ts';
import { OWNED } from './counts.ts';

/** Returns the number of rows by table and account, as 'album of <id>', and of accounts. */
export async function countByAccount(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const accounts = getRow(await sql`select count(*)::int as count from app_user`);
  const counts = new Map([['accounts', Number(accounts['count'])]]);
  for (const table of OWNED) {
    const rows = await sql`
      select owner_id as owner, count(*)::int as count from ${sql(table)} group by owner_id`;
    for (const { owner, count } of rows) counts.set(`${table} of ${owner}`, Number(count));
  }
  return counts;
}
