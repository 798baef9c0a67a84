import { sql, eq } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { videoEnrichments } from '../../db/tables/videos.ts';

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

/** Resets failed videos to pending. Returns their number. */
export async function retryFailedVideos(db: Db): Promise<number> {
  const rows = await db
    .update(videoEnrichments)
    .set({ status: 'pending', error: null, updatedAt: sql`now()` })
    .where(eq(videoEnrichments.status, 'failed'))
    .returning({ assetId: videoEnrichments.assetId });
  return rows.length;
}
