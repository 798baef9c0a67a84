import { unscopedAssets } from '../../access/unscoped.ts';
import { lt, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { trashReviews, utilityActivities } from '../../db/tables/trash.ts';
import { uuids } from '../../db/arrays.ts';

export async function findOwners(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`select id from app_user order by id`);
  return rows.map((row) => row.id);
}

/** Items of an account that were trashed before this, oldest first. */
export async function findOld(
  db: Db,
  wanted: { readonly ownerId: string; readonly before: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from ${unscopedAssets}
    where owner_id = ${wanted.ownerId} and visibility in ('timeline', 'archive')
      and trashed_at is not null and trashed_at < ${wanted.before.toISOString()}
    order by trashed_at, id limit ${wanted.limit}`);
  return rows.map((row) => row.id);
}

/** Again under lock: what was restored meanwhile stays. */
export async function holdOld(db: Db, ids: readonly string[], before: Date): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from ${unscopedAssets} where id = any(${uuids(ids)})
      and trashed_at < ${before.toISOString()} order by id for update`);
  return rows.map((row) => row.id);
}

export async function forgetReviews(db: Db, before: Date): Promise<void> {
  await db.delete(trashReviews).where(lt(trashReviews.expiresAt, before));
}

export async function forgetActivity(db: Db, before: Date): Promise<void> {
  await db.delete(utilityActivities).where(lt(utilityActivities.createdAt, before));
}
