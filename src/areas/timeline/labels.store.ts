import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { preparedRows } from '../../db/prepared.ts';

/** The tag and those below it, in one order; nothing for a tag of somebody else. */
export async function ownTagIdsBelow(
  pool: Sql,
  ownerId: string,
  tagId: string,
): Promise<readonly string[]> {
  // One row, however many: each would be an object.
  const [row] = await preparedRows<{ ids: string | null }>(
    pool,
    sql`with recursive below as (
        select id from tag where id = ${tagId}::uuid and owner_id = ${ownerId}::uuid
        union all select tag.id from tag join below on tag.parent_id = below.id
      ) select string_agg(id::text, ',' order by id) as ids from below`,
  );
  return row?.ids?.split(',') ?? [];
}

export async function isOwnPerson(pool: Sql, ownerId: string, personId: string): Promise<boolean> {
  const rows = await preparedRows(
    pool,
    sql`select 1 from person where id = ${personId}::uuid and owner_id = ${ownerId}::uuid`,
  );
  return rows.length > 0;
}
