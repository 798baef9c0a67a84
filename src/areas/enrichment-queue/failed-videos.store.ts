import { eq, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { videoEnrichments } from '../../db/tables/videos.ts';

/** Resets failed videos to pending. Returns their number. */
export async function retryFailedVideos(db: Db): Promise<number> {
  const rows = await db
    .update(videoEnrichments)
    .set({ status: 'pending', error: null, updatedAt: sql`now()` })
    .where(eq(videoEnrichments.status, 'failed'))
    .returning({ assetId: videoEnrichments.assetId });
  return rows.length;
}
