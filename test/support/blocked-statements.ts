import type { Sql } from 'postgres';

/** Waits until a statement on the database of `sql` waits for a lock. */
export async function waitUntilBlocked(sql: Sql): Promise<void> {
  for (let count = 0; count === 0; await Bun.sleep(5)) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    count = row!.count;
  }
}
