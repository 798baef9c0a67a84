import { sql } from 'drizzle-orm';
import { checkedAssets } from '../../access/unscoped.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

// Parts of items that the caller has chosen and may change: the same owner's by construction.

/** Returns the video halves of those that are live photos. */
export const listLiveVideos = (db: Db, ids: readonly string[]) =>
  queryRows(
    db,
    { id: column.uuid, stillId: column.uuid },
    sql`
    select live_video_id as id, id as "stillId" from ${checkedAssets}
    where id = any(${uuids(ids)}) and live_video_id is not null`,
  );

/** Returns the other members of their stacks that one can see where the chosen ones are. */
export async function listStackMates(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select distinct member.id from ${checkedAssets} asset join ${checkedAssets} member
      on member.stack_id = asset.stack_id
      and stack_scope(member.visibility, member.locked_at, member.trashed_at)
        = stack_scope(asset.visibility, asset.locked_at, asset.trashed_at)
    where asset.id = any(${uuids(ids)}) and member.id <> all(${uuids(ids)})`,
  );
  return rows.map(({ id }) => id);
}
