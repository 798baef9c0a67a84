import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';

export type FactGroup = { readonly owner_id: string; readonly kind: string };

/** Below this, reading the delta rows costs less than folding them. */
const MANY = 64;
const GROUPS_PER_RUN = 1000;

/** Kinds of facts of an owner with many delta rows, of which at least half can go. */
export async function findUnfoldedFacts(db: Db): Promise<FactGroup[]> {
  const rows = await db.execute<FactGroup>(sql`
    select owner_id, kind from asset_fact_count group by owner_id, kind
    having count(*) > ${MANY} and count(*) >= 2 * count(distinct (part_1, part_2, part_3))
    order by count(*) desc limit ${GROUPS_PER_RUN}`);
  return [...rows];
}

/**
 * Replaces the delta rows of these groups by their sums; what is gone leaves no row. Rows added
 * meanwhile are not seen and stay. False: another machine is folding.
 */
export async function foldFacts(db: Db, groups: readonly FactGroup[]): Promise<boolean> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('asset_fact_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await db.execute(sql`
    with gone as (
      delete from asset_fact_count
      using jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) wanted (owner_id uuid, kind text)
      where asset_fact_count.owner_id = wanted.owner_id and asset_fact_count.kind = wanted.kind
      returning asset_fact_count.*
    )
    insert into asset_fact_count (owner_id, kind, part_1, part_2, part_3, assets, example)
    select owner_id, kind, part_1, part_2, part_3, sum(assets),
      (array_agg(example) filter (where example is not null))[1]
    from gone group by owner_id, kind, part_1, part_2, part_3 having sum(assets) <> 0`);
  return true;
}
