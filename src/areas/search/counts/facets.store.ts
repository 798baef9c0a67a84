import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import type { OwnedMatching } from '../match/precomputed-counts.ts';
import { uuids } from '../../../db/arrays.ts';

export async function listTypeCounts(
  db: Db,
  { owners }: OwnedMatching,
  viewerId: string,
): Promise<{ type: string; isFavorite: boolean; count: number }[]> {
  const rows = await queryPrepared(
    db,
    { type: column.text, isFavorite: column.boolean, count: column.numeric },
    sql`select type, is_favorite and owner_id = ${viewerId}::uuid as "isFavorite",
        sum(assets) as count
      from asset_count
      where owner_id = any(${uuids(owners)}) and visibility = 'timeline' and not is_locked
        and not is_trashed
      group by 1, 2 having sum(assets) > 0`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export type TagCount = { readonly id: string; readonly label: string; readonly count: number };

/** Returns the precomputed counts of assets that have the tag or a descendant of it. */
export async function listTagCounts(db: Db, ownerId: string): Promise<TagCount[]> {
  const rows = await queryPrepared(
    db,
    { id: column.uuid, label: column.text, count: column.numeric },
    sql`select tag.id, tag.value as label, sum(tag_count.total) as count
      from tag_count join tag on tag.id = tag_count.tag_id
      where tag_count.owner_id = ${ownerId} and tag.owner_id = ${ownerId}
      group by tag.id having sum(tag_count.total) > 0`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
