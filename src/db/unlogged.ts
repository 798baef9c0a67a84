import type { Sql } from 'postgres';
import { getSqlState } from './errors.ts';

/** SQLSTATE of a table or an index whose pages are not what PostgreSQL has written: data and index corrupted. */
const CORRUPTED = /^XX00[12]$/;

/**
 * Empties each unlogged table that cannot be read, and builds its indexes anew. Such a table holds nothing that has to
 * survive a crash; one whose initial copy was lost with the crash stops every statement that names it. Returns
 * the names of the tables.
 */
export async function emptyUnreadableTables(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relpersistence = 'u' and relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const emptied: string[] = [];
  for (const { name } of tables) {
    if (await isReadable(sql, name)) continue;
    await sql`truncate ${sql(name)}`;
    emptied.push(name);
  }
  return emptied;
}

/** The planner reads the first page of each index, whether it uses the index or not. */
const isReadable = (sql: Sql, name: string): Promise<boolean> =>
  sql`select count(*) from ${sql(name)}`.then(
    () => true,
    (error: unknown) => {
      if (CORRUPTED.test(getSqlState(error) ?? '')) return false;
      throw error;
    },
  );
