import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { idArray } from './store.ts';

/** Below this, reading the delta rows costs less than folding them. */
const MANY = 1000;
const OWNERS_PER_RUN = 100;

/** Owners of many delta rows. */
export async function findUnfolded(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select owner_id as id from asset_cell_count where not is_folded group by owner_id
    having count(*) > ${MANY} order by count(*) desc limit ${OWNERS_PER_RUN}`);
  return [...rows].map((row) => row.id);
}

/**
 * Replaces the delta rows of these owners by their sums. Rows added meanwhile are not seen and stay.
 * False: another machine is folding.
 */
export async function foldCells(db: Db, owners: readonly string[]): Promise<boolean> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('asset_cell_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await db.execute(sql`select fold_cells(${idArray(owners)})`);
  return true;
}
