import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** `count`: with this tag; `total`: with it or a descendant. */
const TAG_COUNTS_COLUMNS = { count: column.integer, total: column.integer };
export type TagCounts = InferRow<typeof TAG_COUNTS_COLUMNS>;

/** Returns the number of Timeline items that content rules hide, by tag; empty without rules. */
export async function countSuppressedByTag(
  db: Db,
  session: UserSession,
): Promise<ReadonlyMap<string, TagCounts>> {
  if (session.contentRules.length === 0) return new Map();
  const rows = await queryRows(
    db,
    { tagId: column.uuid, ...TAG_COUNTS_COLUMNS },
    sql`
    with recursive above (tag_id, ancestor_id) as (
      select id, id from tag where owner_id = ${session.userId}::uuid
      union all
      select above.tag_id, tag.parent_id from above join tag on tag.id = above.ancestor_id
      where tag.parent_id is not null
    ), link as materialized (
      select tag_asset.tag_id, asset.id
      from ${ownAssets(db, session, 'timeline', { suppressed: 'only' })}
      join tag_asset on tag_asset.asset_id = asset.id
    )
    select above.ancestor_id as "tagId", count(distinct link.id)::int as total,
      (count(distinct link.id) filter (where above.tag_id = above.ancestor_id))::int as count
    from link join above using (tag_id) group by above.ancestor_id`,
  );
  return new Map(rows.map(({ tagId, ...counts }) => [tagId, counts]));
}
