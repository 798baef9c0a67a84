import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { toDay } from '../../../core/dates.ts';
import { queryRows } from '../../../db/query.ts';
import { isNewLibrary } from './candidates.store.ts';

/** New assets since the last generation that start another one on the same day. */
const LARGE_IMPORT = 500;

/** Assets of an account in any state: sums of deltas. */
const ASSET_TOTAL = sql`(select coalesce(sum(assets), 0)::bigint from asset_count
  where asset_count.owner_id = app_user.id)`;

/** A new library without a memory: its pictures come, or are looked at by models, while somebody waits. */
const isExpecting = (now: Date) => sql`(
  not exists (select from memory where memory.owner_id = app_user.id and memory.key is not null)
  and ${isNewLibrary(sql`app_user.id`, now)})`;

/**
 * Returns the accounts without a generation of this day, or with a large import since, or with a new library that has no
 * memory yet.
 */
export async function listDueAccounts(db: Db, now: Date): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select app_user.id from app_user left join memory_generation last on last.owner_id = app_user.id
    where app_user.deleted_at is null and (last.day is distinct from ${toDay(now)}::date or ${isExpecting(now)}
      or ${ASSET_TOTAL} >= last.assets + ${LARGE_IMPORT}::bigint)
    order by 1`,
  );
  return rows.map(({ id }) => id);
}

/** Locks an account against its removal. Returns false when it is gone. */
export async function lockAccount(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select from app_user where id = ${id}::uuid and deleted_at is null for key share`,
  );
  return rows.length > 0;
}

export type GenerationAccount = { readonly wantsMemories: boolean; readonly assets: number };

/** Returns what the generation needs to know of an account. */
export async function findAccount(db: Db, id: string): Promise<GenerationAccount | undefined> {
  const [row] = await queryRows(
    db,
    { wantsMemories: column.boolean, assets: column.bigint },
    sql`
    select coalesce((preferences -> 'memories' ->> 'enabled')::boolean, true) as "wantsMemories",
      ${ASSET_TOTAL} as assets
    from app_user where id = ${id}::uuid and deleted_at is null`,
  );
  return row && { ...row, assets: Number(row.assets) };
}
