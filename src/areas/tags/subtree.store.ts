import { checkedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { queryRows } from '../../db/query.ts';

/**
 * Locks the tag, its descendants and their assets until the transaction ends: call it before moving tags.
 * Locks tags before assets, like all writers.
 */
export async function lockSubtree(db: Db, tagId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    select 1 from tag where id in (select tags_below(${tagId})) order by id for update`,
  );
  await queryRows(
    db,
    sql`
    select count(*) from (
      select 1 from ${checkedAssets} where id in (
        select asset_id from tag_asset where tag_id in (select tags_below(${tagId}))
      ) order by id for no key update
    ) held`,
  );
}

/** Subtracts the Timeline items of the subtree from the tag counts (-1), or adds them (1). */
export async function addSubtreeToCounts(db: Db, tagId: string, sign: 1 | -1): Promise<void> {
  await queryRows(
    db,
    sql`
    select count_tags(array(
      select id from ${checkedAssets} where id in (
        select asset_id from tag_asset where tag_id in (select tags_below(${tagId}))
      ) and is_on_timeline(visibility, locked_at, trashed_at)
    ), ${sign})`,
  );
}
