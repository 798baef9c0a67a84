import { unscopedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';

/** A stack is one thing, and so is a live photo: everything that these ids are part of. */
const wholeOf = (ids: readonly string[]): SQL => sql`
  with named as (
    select id, owner_id, stack_id from ${unscopedAssets} where id = any(${uuids(ids)})
    union
    select id, owner_id, stack_id from ${unscopedAssets} where live_video_id = any(${uuids(ids)})
  ), member as (
    select id, owner_id, live_video_id from ${unscopedAssets} where id in (select id from named)
    union
    select asset.id, asset.owner_id, asset.live_video_id from ${unscopedAssets}
    join named on asset.stack_id = named.stack_id and asset.owner_id = named.owner_id
  )
  select id from member
  union
  select video.id from member join ${unscopedAssets} video
    on video.id = member.live_video_id and video.owner_id = member.owner_id`;

/**
 * Takes what these ids are part of out of every view. Shelf, albums, tags, stack and favorite stay
 * as they are, so that nothing needs to be remembered.
 */
export async function lockWhole(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await moveWhole(db, ids, sql`locked_at = ${now.toISOString()}`, sql`locked_at is null`, now);
}

/** Each goes back where it was: on its shelf, or into the trash. */
export async function unlockWhole(db: Db, ids: readonly string[], now: Date): Promise<void> {
  await moveWhole(db, ids, sql`locked_at = null`, sql`locked_at is not null`, now);
}

/** Rows are locked in the order of their ids, so that two such moves never wait for each other. */
async function moveWhole(db: Db, ids: readonly string[], change: SQL, where: SQL, now: Date) {
  if (ids.length === 0) return;
  await db.execute(sql`
    with whole as materialized (${wholeOf(ids)}),
    moved as materialized (
      select id from ${unscopedAssets} where id in (select id from whole) and ${where}
      order by id for no key update
    )
    update ${unscopedAssets} set ${change}, updated_at = ${now.toISOString()}
    from moved where asset.id = moved.id`);
}

/** Shelves of what is not locked. The video half of a live photo stays behind its still. */
export async function putOnShelf(
  db: Db,
  ids: readonly string[],
  shelf: 'timeline' | 'archive' | 'hidden',
  now: Date,
): Promise<void> {
  await db.execute(sql`
    with moved as materialized (
      select id from ${unscopedAssets} where id = any(${uuids(ids)}) and visibility <> ${shelf}
        and not exists (select from ${unscopedAssets} still where still.live_video_id = asset.id)
      order by id for no key update
    )
    update ${unscopedAssets} set visibility = ${shelf}, updated_at = ${now.toISOString()}
    from moved where asset.id = moved.id`);
}

/** Those of `ids` that are locked. */
export async function lockedAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(
    sql`select id from ${unscopedAssets} where id = any(${uuids(ids)}) and locked_at is not null`,
  );
  return rows.map((row) => row.id);
}
