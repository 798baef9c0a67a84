import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/**
 * Locks memories of before `before` that are over: not saved, and not made by hand; or deleted by the
 * owner. Those that are yet to be shown stay, so that they are not generated again.
 */
export async function lockExpired(
  db: Db,
  { before, now, limit }: { readonly before: Date; readonly now: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from memory
    where coalesce(hide_at, '-infinity') < ${now.toISOString()}::timestamptz and (
      deleted_at < ${before.toISOString()}::timestamptz
      or (created_at < ${before.toISOString()}::timestamptz and deleted_at is null
        and not is_saved and type <> 'custom'))
    order by id limit ${limit} for update skip locked`,
  );
  return rows.map(({ id }) => id);
}

export async function deleteMemories(db: Db, ids: readonly string[]): Promise<void> {
  await queryRows(db, sql`delete from memory where id = any(${uuids(ids)})`);
}
