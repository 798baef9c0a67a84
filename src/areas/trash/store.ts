import { checkedAssets, backgroundAssets } from '../../access/unscoped.ts';
import { sql, lt } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryPrepared, queryRows } from '../../db/query.ts';
import type { Summary } from './schemas.ts';
import { trashReviews, utilityActivities } from '../../db/tables/trash.ts';
import { uuids } from '../../db/arrays.ts';

/**
 * Returns items and bytes of the trash from precomputed counts. Videos of live photos count as bytes,
 * not as items.
 */
export async function sumTrash(
  db: Db,
  { userId, isUnlocked }: { readonly userId: string; readonly isUnlocked: boolean },
): Promise<Summary> {
  const row = getRow(
    await queryPrepared(
      db,
      { items: column.numeric, sizeInBytes: column.numeric, removing: column.bigint },
      sql`select
        coalesce(sum(assets) filter (where visibility in ('timeline', 'archive')), 0) as items,
        coalesce(sum(bytes), 0) as "sizeInBytes",
        (select coalesce(sum(items), 0) from removed_file where owner_id = ${userId}) as removing
      from asset_count
      where owner_id = ${userId} and is_trashed and (${isUnlocked}::boolean or not is_locked)`,
    ),
  );
  const { items, sizeInBytes, removing } = row;
  return { items: Number(items), sizeInBytes: Number(sizeInBytes), removing: Number(removing) };
}

/** Returns items and bytes in the trash that the caller's content rules suppress. */
export async function countSuppressed(
  db: Db,
  session: Session,
): Promise<{ readonly items: number; readonly bytes: number }> {
  const row = getRow(
    await queryRows(
      db,
      { items: column.bigint, bytes: column.numeric },
      sql`
    select count(*) as items, coalesce(sum(asset.file_size + coalesce(video.file_size, 0)), 0) as bytes
    from ${ownAssets(db, session, 'trash', { suppressed: 'only' })}
    left join ${checkedAssets} video on video.id = asset.live_video_id and video.trashed_at is not null`,
    ),
  );
  return { items: Number(row.items), bytes: Number(row.bytes) };
}

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
