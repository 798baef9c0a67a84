import { eq, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { users } from '../../db/tables/identity.ts';
import { listDayCounts, type SummaryReader } from '../assets/index.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type DayCount = { readonly date: string; readonly count: number };
export type DayRange = {
  readonly kind: 'upload' | 'taken';
  /** Inclusive. */
  readonly from: string;
  readonly to: string;
};

/** Returns the days with items of Timeline or archive, in order. */
export async function countByDay(
  reader: SummaryReader,
  ownerId: string,
  days: DayRange,
): Promise<DayCount[]> {
  const counts = await listDayCounts(reader, [ownerId]);
  return counts
    .filter(({ kind, day }) => kind === days.kind && day >= days.from && day <= days.to)
    .map(({ day, count }) => ({ date: day, count }))
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

/** Counts the items by day that the user's content rules suppress. */
export async function countSuppressed(
  db: Db,
  session: Session,
  days: DayRange,
): Promise<DayCount[]> {
  const day =
    days.kind === 'taken' ? sql`asset.local_day` : sql`(asset.created_at at time zone 'utc')::date`;
  const rows = await queryRows(
    db,
    { date: column.text, count: column.bigint },
    sql`
    select day::text as date, count(*) as count
    from (select ${day} as day from ${ownAssets(db, session, 'library', { suppressed: 'only' })}) item
    where day between ${days.from}::date and ${days.to}::date group by item.day`,
  );
  return rows.map(({ date, count }) => ({ date, count: Number(count) }));
}

/** Includes deleted users who can be restored. */
export const userExists = async (db: Db, id: string): Promise<boolean> =>
  (await db.$count(users, eq(users.id, id))) > 0;
