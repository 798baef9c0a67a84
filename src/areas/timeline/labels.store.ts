import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryPrepared } from '../../db/query.ts';

/** Returns the ids of the tag and its descendants, sorted; none for a tag of another user. */
export async function listOwnTagSubtree(
  db: Db,
  ownerId: string,
  tagId: string,
): Promise<readonly string[]> {
  // One row with all ids is cheaper than an object per row.
  const [row] = await queryPrepared(
    db,
    { ids: column.text.orNull },
    sql`with recursive below as (
        select id from tag where id = ${tagId}::uuid and owner_id = ${ownerId}::uuid
        union all select tag.id from tag join below on tag.parent_id = below.id
      ) select string_agg(id::text, ',' order by id) as ids from below`,
  );
  return row?.ids?.split(',') ?? [];
}

export async function isOwnPerson(db: Db, ownerId: string, personId: string): Promise<boolean> {
  const rows = await queryPrepared(
    db,
    sql`select 1 from person where id = ${personId}::uuid and owner_id = ${ownerId}::uuid`,
  );
  return rows.length > 0;
}
