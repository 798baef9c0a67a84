import { backgroundAssets } from '../../../access/unscoped.ts';
import { lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { trashReviews, utilityActivities } from '../../../db/tables/trash.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

export async function listOwners(db: Db): Promise<string[]> {
  const rows = await queryRows(db, { id: column.uuid }, sql`select id from app_user order by id`);
  return rows.map((row) => row.id);
}

/** Lists a user's items that were trashed before this time, oldest first. */
export async function listExpired(
  db: Db,
  wanted: { readonly ownerId: string; readonly before: Date; readonly limit: number },
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${backgroundAssets}
    where owner_id = ${wanted.ownerId} and visibility in ('timeline', 'archive')
      and trashed_at is not null and trashed_at < ${wanted.before.toISOString()}
    order by trashed_at, id limit ${wanted.limit}`,
  );
  return rows.map((row) => row.id);
}

/** Locks those that are still trashed and returns their ids. */
export async function lockExpired(db: Db, ids: readonly string[], before: Date): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${backgroundAssets} where id = any(${uuids(ids)})
      and trashed_at < ${before.toISOString()} order by id for update`,
  );
  return rows.map((row) => row.id);
}

export async function deleteReviewsBefore(db: Db, before: Date): Promise<void> {
  await db.delete(trashReviews).where(lt(trashReviews.expiresAt, before));
}

export async function deleteActivityBefore(db: Db, before: Date): Promise<void> {
  await db.delete(utilityActivities).where(lt(utilityActivities.createdAt, before));
}
