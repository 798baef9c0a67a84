import { unscopedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type Chosen, stillAsChosen } from './chosen.store.ts';
import { deleteRows } from './removal.store.ts';
import type { Move } from './set.store.ts';

const CHANGE = sql.raw('no key update');

export type At = {
  /** What the items say about when they were trashed. */
  readonly trashedAt: Date;
  readonly now: Date;
};

/** Call in a transaction. Answers how many items were moved. */
export async function moveItems(db: Db, move: Move, chosen: Chosen, at: At): Promise<number> {
  if (chosen.ids.length === 0) return 0;
  if (move === 'delete') return deleteRows(db, chosen);
  return move === 'trash' ? trashItems(db, chosen, at) : restoreItems(db, chosen, at);
}

/**
 * A video goes with its still, unless another still that stays has it too. What was hidden by itself
 * comes to the Timeline: nothing lies in the trash that no list shows.
 */
async function trashItems(db: Db, chosen: Chosen, { trashedAt, now }: At): Promise<number> {
  const [row] = await db.execute<{ count: string }>(sql`
    with item as materialized (
      ${stillAsChosen(chosen, sql`asset.trashed_at is null`, CHANGE)}
    ), half as materialized (
      select video.id from item join ${unscopedAssets} video on video.id = item.live_video_id
      where not exists (
        select from ${unscopedAssets} other where other.live_video_id = video.id and other.trashed_at is null
          and other.id not in (select id from item))
    ), moved as (
      update ${unscopedAssets} set trashed_at = ${trashedAt.toISOString()}, updated_at = ${now.toISOString()},
        visibility = case when asset.visibility = 'hidden' and asset.id in (select id from item)
          then 'timeline' else asset.visibility end
      where id in (select id from item union all select id from half) and trashed_at is null
    )
    select count(*) as count from item`);
  return Number(row!.count);
}

async function restoreItems(db: Db, chosen: Chosen, { now }: At): Promise<number> {
  const [row] = await db.execute<{ count: string }>(sql`
    with item as materialized (
      ${stillAsChosen(chosen, sql`asset.trashed_at is not null`, CHANGE)}
    ), moved as (
      update ${unscopedAssets} set trashed_at = null, updated_at = ${now.toISOString()}
      where id in (select id from item union all select live_video_id from item)
        and trashed_at is not null
    )
    select count(*) as count from item`);
  return Number(row!.count);
}
