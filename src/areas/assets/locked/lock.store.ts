import { checkedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Selects the ids of all members of the stacks and live photos that `ids` belong to. */
const selectWholeItems = (ids: readonly string[]): SQL => sql`
  with named as (
    select id, owner_id, stack_id from ${checkedAssets} where id = any(${uuids(ids)})
    union
    select id, owner_id, stack_id from ${checkedAssets} where live_video_id = any(${uuids(ids)})
  ), member as (
    select id, owner_id, live_video_id from ${checkedAssets} where id in (select id from named)
    union
    select asset.id, asset.owner_id, asset.live_video_id from ${checkedAssets}
    join named on asset.stack_id = named.stack_id and asset.owner_id = named.owner_id
  )
  select id from member
  union
  select video.id from member join ${checkedAssets} video
    on video.id = member.live_video_id and video.owner_id = member.owner_id`;

/**
 * Locks the assets with their stacks and live photos. Visibility, albums, tags, stack and favorite
 * stay, so unlocking needs no saved state.
 */
export async function lockWholeItems(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await updateWholeItems(
    db,
    ids,
    sql`locked_at = ${now.toISOString()}`,
    sql`locked_at is null`,
    now,
  );
}

/**
 * Unlocks the assets with their stacks and live photos; each returns to its visibility or the trash.
 */
export async function unlockWholeItems(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await updateWholeItems(db, ids, sql`locked_at = null`, sql`locked_at is not null`, now);
}

/** Locks rows in the order of their ids, so that two updates cannot deadlock. */
async function updateWholeItems(
  db: Db,
  ids: readonly string[],
  change: SQL,
  where: SQL,
  now: Date,
) {
  if (ids.length === 0) return;
  await queryRows(
    db,
    sql`
    with whole as materialized (${selectWholeItems(ids)}),
    moved as materialized (
      select id from ${checkedAssets} where id in (select id from whole) and ${where}
      order by id for no key update
    )
    update ${checkedAssets} set ${change}, updated_at = ${now.toISOString()}
    from moved where asset.id = moved.id`,
  );
}

/** Sets the visibility of assets, except videos of live photos, which stay hidden. */
export async function updateVisibility(
  db: Db,
  ids: readonly string[],
  visibility: 'timeline' | 'archive' | 'hidden',
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    with moved as materialized (
      select id from ${checkedAssets} where id = any(${uuids(ids)}) and visibility <> ${visibility}
        and not exists (select from ${checkedAssets} still where still.live_video_id = asset.id)
      order by id for no key update
    )
    update ${checkedAssets} set visibility = ${visibility}, updated_at = ${now.toISOString()}
    from moved where asset.id = moved.id`,
  );
}

export async function filterLocked(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select id from ${checkedAssets} where id = any(${uuids(ids)}) and locked_at is not null`,
  );
  return rows.map((row) => row.id);
}
