import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryPrepared, queryRows } from '../../../db/query.ts';

export const hasOwnerless = sql`exists (select from asset_exif where asset_owner_id is null)`;

/** Returns whether all rows of asset_exif have the owner and the date of their asset. */
export async function areFilled(db: Db): Promise<boolean> {
  const rows = await queryPrepared(
    db,
    { filled: column.boolean },
    sql`select not ${hasOwnerless} as filled`,
  );
  return getRow(rows).filled;
}

/** Copies owner and date to at most `limit` rows that have none, and returns their number. */
export async function fillSome(db: Db, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`with locked as (
        select asset.id, asset.owner_id, asset.taken_at from ${backgroundAssets}
        where asset.id in (select asset_id from asset_exif where asset_owner_id is null limit ${limit}::int)
        order by asset.id for no key update of asset
      )
      update asset_exif set asset_owner_id = locked.owner_id, asset_taken_at = locked.taken_at
      from locked where asset_id = locked.id returning asset_id as id`,
  );
  return rows.length;
}
