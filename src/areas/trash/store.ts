import { checkedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryPrepared, queryRows } from '../../db/query.ts';
import type { Summary } from './schemas.ts';

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
