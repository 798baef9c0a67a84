import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export async function findAssetType(db: Db, id: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { type: column.text },
    sql`select type from ${backgroundAssets} where id = ${id}::uuid`,
  );
  return row?.type;
}

/** Returns the video that a frame is of. */
export async function findVideoOfFrame(db: Db, id: string): Promise<string | undefined> {
  const [row] = await queryRows(
    db,
    { assetId: column.uuid },
    sql`select asset_id as "assetId" from video_frame where id = ${id}::uuid`,
  );
  return row?.assetId;
}
