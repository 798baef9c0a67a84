import type { Sql } from 'postgres';
import { POOL_PREFIX } from '../db/client.ts';

/** Returns whether another server works on the database at the moment. */
export async function isServedElsewhere(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = ${`${POOL_PREFIX}server`} limit 1`;
  return rows.length > 0;
}
