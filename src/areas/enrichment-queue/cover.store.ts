import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** Returns the cover time that the owner has chosen for a video, in ms. */
export async function findCoverTime(db: Db, assetId: string): Promise<number | undefined> {
  const [row] = await queryRows(
    db,
    { coverMs: column.integer.orNull },
    sql`
    select cover_ms as "coverMs" from video_enrichment where asset_id = ${assetId}`,
  );
  return row?.coverMs ?? undefined;
}
