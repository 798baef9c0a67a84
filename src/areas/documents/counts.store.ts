import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';

export type MonthCount = {
  /** The first day of it, in UTC. */
  readonly month: string;
  readonly documents: number;
};

/** How many documents the account lists of each month, latest first; months without are left out. */
export async function countsByMonth(db: Db, ownerId: string): Promise<MonthCount[]> {
  const rows = await db.execute<MonthCount>(sql`
    select month::text, sum(documents)::int as documents from document_count
    where owner_id = ${ownerId}::uuid group by document_count.month having sum(documents) <> 0
    order by document_count.month desc`);
  return [...rows];
}

/** Below this, reading the delta rows costs less than folding them. */
const MANY = 64;
const OWNERS_PER_RUN = 100;

/** Owners with many delta rows of which at least half can go, and what is left of those who are gone. */
export async function findUnfolded(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select owner_id as id from document_count group by owner_id
    having count(*) > ${MANY} and count(*) >= 2 * count(distinct month)
      or not exists (select from app_user where app_user.id = owner_id)
    order by count(*) desc limit ${OWNERS_PER_RUN}`);
  return [...rows].map((row) => row.id);
}

/**
 * Replaces the delta rows of these owners by their sums. Rows added meanwhile are not seen and stay.
 * False: another machine is folding.
 */
export async function foldCounts(db: Db, ownerIds: readonly string[]): Promise<boolean> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('document_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await db.execute(sql`
    with gone as (
      delete from document_count where owner_id = any(${uuids(ownerIds)}) returning *
    )
    insert into document_count (owner_id, month, documents)
    select owner_id, month, sum(documents) from gone
    where exists (select from app_user where app_user.id = owner_id)
    group by owner_id, month having sum(documents) <> 0`);
  return true;
}
