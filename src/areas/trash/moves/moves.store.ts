import { checkedAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type ItemSelection, selectUnchanged } from './item-set.store.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

const UPDATE_LOCK = sql.raw('no key update');

/**
 * Moves the unchanged items to the trash and returns their number. Call it in a transaction. Moves the video of a live
 * photo with its still unless another remaining still uses it. A hidden item becomes visible: no item in the trash may be
 * unlisted.
 */
export async function trashItems(
  db: Db,
  chosen: ItemSelection,
  now: Date,
  trashedAt = now,
): Promise<number> {
  if (chosen.ids.length === 0) return 0;
  const row = getRow(
    await queryRows(
      db,
      { count: column.bigint },
      sql`
    with item as materialized (
      ${selectUnchanged(chosen, sql`asset.trashed_at is null`, UPDATE_LOCK)}
    ), half as materialized (
      select video.id from item join ${checkedAssets} video on video.id = item.live_video_id
      where not exists (
        select from ${checkedAssets} other where other.live_video_id = video.id and other.trashed_at is null
          and other.id not in (select id from item))
    ), moved as (
      update ${checkedAssets} set trashed_at = ${trashedAt.toISOString()}, updated_at = ${now.toISOString()},
        visibility = case when asset.visibility = 'hidden' and asset.id in (select id from item)
          then 'timeline' else asset.visibility end
      where id in (select id from item union all select id from half) and trashed_at is null
    )
    select count(*) as count from item`,
    ),
  );
  return Number(row.count);
}

/** Restores the unchanged items with their videos and returns their number. Call it in a transaction. */
export async function restoreItems(db: Db, chosen: ItemSelection, now: Date): Promise<number> {
  if (chosen.ids.length === 0) return 0;
  const row = getRow(
    await queryRows(
      db,
      { count: column.bigint },
      sql`
    with item as materialized (
      ${selectUnchanged(chosen, sql`asset.trashed_at is not null`, UPDATE_LOCK)}
    ), moved as (
      update ${checkedAssets} set trashed_at = null, updated_at = ${now.toISOString()}
      where id in (select id from item union all select live_video_id from item)
        and trashed_at is not null
    )
    select count(*) as count from item`,
    ),
  );
  return Number(row.count);
}
