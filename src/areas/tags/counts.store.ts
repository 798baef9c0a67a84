import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

/** Below this, reading the delta rows of a tag costs less than folding them. */
const MANY = 16;
const TAGS_PER_RUN = 10_000;

/** Tags with many delta rows, or with any that outlived them. */
export async function findUnfoldedTags(db: Db): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select tag_id as id from tag_count group by tag_id
    having count(*) > ${MANY} or not exists (select from tag where tag.id = tag_count.tag_id)
    order by count(*) desc limit ${TAGS_PER_RUN}`);
  return rows.map((row) => row.id);
}

/**
 * Replaces the delta rows of these tags by their sums. Rows added meanwhile are not seen and stay.
 * False: another machine is folding.
 */
export async function foldTags(db: Db, tagIds: readonly string[]): Promise<boolean> {
  const [lock] = await db.execute<{ taken: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtext('tag_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await db.execute(sql`
    with gone as (
      delete from tag_count where tag_id = any(${uuids(tagIds)})
      returning *
    )
    insert into tag_count (owner_id, tag_id, assets, total)
    select owner_id, tag_id, sum(assets), sum(total) from gone
    where exists (select from tag where tag.id = tag_id)
    group by owner_id, tag_id having sum(assets) <> 0 or sum(total) <> 0`);
  return true;
}
