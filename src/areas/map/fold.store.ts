import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

/** Below this, reading the delta rows costs less than folding them. */
const MANY = 1000;
/** Above this, they are folded even while more are being added. */
const TOO_MANY = 1_000_000;
const OWNERS_PER_RUN = 100;

const UNFOLDED_COLUMNS = { id: column.uuid, isUrgent: column.boolean };

export type Unfolded = InferRow<typeof UNFOLDED_COLUMNS>;

/** Owners of many delta rows. */
const UNFOLDED = sql`
  select owner_id as id, count(*) > ${TOO_MANY} as "isUrgent"
  from asset_cell_count where not is_folded group by owner_id having count(*) > ${MANY}`;
export const hasUnfolded = sql`exists (${UNFOLDED})`;

export async function findUnfolded(db: Db): Promise<Unfolded[]> {
  return queryRows(
    db,
    UNFOLDED_COLUMNS,
    sql`${UNFOLDED} order by count(*) desc limit ${OWNERS_PER_RUN}`,
  );
}

/**
 * Returns the owners without a move in progress, whose rows would change again at once, and urgent
 * ones.
 */
export async function keepResting(db: Db, owners: readonly Unfolded[]): Promise<string[]> {
  const urgent = owners.filter((owner) => owner.isUrgent).map((owner) => owner.id);
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select owner.id from unnest(${uuids(owners.map((owner) => owner.id))}) owner (id)
    where owner.id = any(${uuids(urgent)}) or not (
      exists (select from operation where account_id = owner.id and kind in ('move', 'archive')
        and state in ('queued', 'running', 'cancelling', 'undoing')))`,
  );
  return rows.map((row) => row.id);
}

/** Delta rows per transaction, which locks them. */
const ROWS_AT_ONCE = 3000;

/**
 * Replaces some delta rows of these owners by their sums. Rows added meanwhile stay. Returns the number
 * of folded cells, 0 while another process is folding.
 */
export async function foldCells(db: Db, owners: readonly string[]): Promise<number> {
  const [lock] = await queryRows(
    db,
    { taken: column.boolean },
    sql`select pg_try_advisory_xact_lock(hashtext('asset_cell_count')) as taken`,
  );
  if (!lock?.taken) return 0;
  const row = getRow(
    await queryRows(
      db,
      { cells: column.bigint },
      sql`select fold_cells(${uuids(owners)}, ${ROWS_AT_ONCE}) as cells`,
    ),
  );
  return Number(row.cells);
}
