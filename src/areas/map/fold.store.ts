import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

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

/** Delta rows of one transaction, which holds what it folds. */
const ROWS_AT_ONCE = 3000;

/**
 * Replaces some delta rows of these owners by their sums. Rows added meanwhile are not seen and stay.
 * Answers how many cells were folded; none while another machine is at it.
 */
export async function foldCells(db: Db, owners: readonly string[]): Promise<number> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('asset_cell_count')) as taken`,
  );
  if (!lock?.taken) return 0;
  const [row] = await db.execute<{ cells: string }>(
    sql`select fold_cells(${uuids(owners)}, ${ROWS_AT_ONCE}) as cells`,
  );
  return Number(row!.cells);
}
