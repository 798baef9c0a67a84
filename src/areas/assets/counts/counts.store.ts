import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const COUNTED_MONTH_COLUMNS = { owner_id: column.uuid, local_month: column.text };

export type CountedMonth = InferRow<typeof COUNTED_MONTH_COLUMNS>;

/** Below this number of rows, reading a month costs less than folding it. */
const MANY = 32;
const MONTHS_PER_RUN = 2000;

/** Months with many delta rows of which folding removes at least half. */
const UNFOLDED = sql`
  select owner_id, local_month::text from asset_count
  group by owner_id, asset_count.local_month
  having count(*) > ${MANY} and count(*) >= 2 * count(distinct (
    type, visibility, is_locked, is_trashed, is_favorite, is_stack_child))`;
export const hasUnfoldedMonths = sql`exists (${UNFOLDED})`;

export async function findUnfoldedMonths(db: Db): Promise<CountedMonth[]> {
  return queryRows(
    db,
    COUNTED_MONTH_COLUMNS,
    sql`${UNFOLDED} order by count(*) desc limit ${MONTHS_PER_RUN}`,
  );
}

const GROUP: SQL = sql.raw(
  'owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite, is_stack_child',
);

/**
 * Replaces the delta rows of these months by their sums and returns true, or returns false when another
 * process is folding. Rows added meanwhile stay. The XOR of `stamp` and of `contents` over a month must
 * not change: groups that sum to zero pass theirs on to a row that stays.
 */
export async function foldMonths(db: Db, months: readonly CountedMonth[]): Promise<boolean> {
  const [lock] = await queryRows(
    db,
    { taken: column.boolean },
    sql`select pg_try_advisory_xact_lock(hashtext('asset_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await queryRows(
    db,
    sql`
    with gone as (
      delete from asset_count
      using jsonb_to_recordset(${JSON.stringify(months)}::jsonb)
        month (owner_id uuid, local_month date)
      where asset_count.owner_id = month.owner_id and asset_count.local_month = month.local_month
      returning asset_count.*
    ), sums as (
      select ${GROUP}, sum(assets) as assets, sum(bytes) as bytes, bit_xor(stamp) as stamp,
        bit_xor(contents) as contents
      from gone group by ${GROUP}
    ), placed as (
      select *, assets = 0 and bytes = 0 as is_empty,
        row_number() over (
          partition by owner_id, local_month order by assets = 0 and bytes = 0) as place,
        bit_xor(stamp) filter (where assets = 0 and bytes = 0)
          over (partition by owner_id, local_month) as empty_stamp,
        bit_xor(contents) filter (where assets = 0 and bytes = 0)
          over (partition by owner_id, local_month) as empty_contents
      from sums
    )
    insert into asset_count (${GROUP}, assets, bytes, stamp, contents)
    select ${GROUP}, assets, bytes,
      case when place > 1 then stamp
        when is_empty then empty_stamp
        else stamp # coalesce(empty_stamp, 0) end,
      case when place > 1 then contents
        when is_empty then empty_contents
        else contents # coalesce(empty_contents, 0) end
    from placed where place = 1 or not is_empty`,
  );
  return true;
}
