import { ownerAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

const ARCHIVED_COLUMNS = { ids: column.uuidArray, revisions: column.integerArray };
export type ArchivedAssets = InferRow<typeof ARCHIVED_COLUMNS>;

/**
 * Archives those of `ids` that are on the owner's timeline. Returns the ids that changed and their new
 * state revisions, which an undo compares. Locks rows in the order of their ids to avoid deadlocks.
 */
export async function archiveAssets(
  db: Db,
  ownerId: string,
  ids: readonly string[],
  now: Date,
): Promise<ArchivedAssets> {
  const row = getRow(
    await queryRows(
      db,
      ARCHIVED_COLUMNS,
      sql`
    with wanted as materialized (
      select id from ${ownerAssets} where id = any(${uuids(ids)}) and owner_id = ${ownerId}
        and visibility = 'timeline' and locked_at is null and trashed_at is null
      order by id for no key update
    ), moved as (
      update ${ownerAssets} set visibility = 'archive', updated_at = ${now.toISOString()}
      from wanted where asset.id = wanted.id
      returning asset.id, asset.state_revision
    )
    select coalesce(array_agg(id), '{}') as ids,
      coalesce(array_agg(state_revision), '{}') as revisions from moved`,
    ),
  );
  return row;
}

/** Moves the assets whose state revision is unchanged back to the timeline. Returns their number. */
export async function unarchiveAssets(
  db: Db,
  ownerId: string,
  { ids, revisions }: ArchivedAssets,
  now: Date,
): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { count: column.bigint },
      sql`
    with wanted as materialized (
      select asset.id
      from unnest(${uuids(ids)}, ${`{${revisions.join(',')}}`}::int[])
        archived (id, revision)
      join ${ownerAssets} on asset.id = archived.id and asset.state_revision = archived.revision
      where asset.owner_id = ${ownerId} and asset.visibility = 'archive'
      order by asset.id for no key update of asset
    ), moved as (
      update ${ownerAssets} set visibility = 'timeline', updated_at = ${now.toISOString()}
      from wanted where asset.id = wanted.id returning 1
    )
    select count(*) as count from moved`,
    ),
  );
  return Number(row.count);
}
