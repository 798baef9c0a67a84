import { eq, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { queryPrepared } from '../../db/query.ts';
import { users } from '../../db/tables/identity.ts';

export type DayCount = { readonly date: string; readonly count: number };
export type DayRange = {
  readonly kind: 'upload' | 'taken';
  /** Inclusive. */
  readonly from: string;
  readonly to: string;
};

/** Returns the days with items, in order, from precomputed counts. */
export async function countByDay(db: Db, ownerId: string, days: DayRange): Promise<DayCount[]> {
  const rows = await queryPrepared<{ date: string; count: string }>(
    db,
    sql`select day::text as date, sum(assets) as count from asset_day_count
      where owner_id = ${ownerId} and kind = ${days.kind}
        and day between ${days.from}::date and ${days.to}::date
      group by asset_day_count.day having sum(assets) > 0 order by asset_day_count.day`,
  );
  return rows.map(({ date, count }) => ({ date, count: Number(count) }));
}

/** Counts the items by day that the user's content rules suppress. */
export async function countSuppressed(
  db: Db,
  session: Session,
  days: DayRange,
): Promise<DayCount[]> {
  const day =
    days.kind === 'taken' ? sql`asset.local_day` : sql`(asset.created_at at time zone 'utc')::date`;
  const rows = await db.execute<{ date: string; count: string }>(sql`
    select day::text as date, count(*) as count
    from (select ${day} as day from ${ownAssets(db, session, 'library', { suppressed: 'only' })}) item
    where day between ${days.from}::date and ${days.to}::date group by item.day`);
  return rows.map(({ date, count }) => ({ date, count: Number(count) }));
}

/** Includes deleted users who can be restored. */
export const userExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.$count(users, eq(users.id, id))) > 0;
