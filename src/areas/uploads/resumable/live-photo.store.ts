import { checkedAssets } from '../../../access/unscoped.ts';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { isDatabaseError } from '../../../db/errors.ts';
import { type UploadRow, uploads } from '../../../db/tables/uploads.ts';
import { queryRows } from '../../../db/query.ts';

/**
 * Locks the caller's uploads of these ids until commit. Returns 'busy' when another request holds one
 * of them; the transaction must then be rolled back.
 */
export async function lockUploads(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<UploadRow[] | 'busy'> {
  try {
    return await db
      .select()
      .from(uploads)
      .where(and(eq(uploads.userId, userId), inArray(uploads.id, [...ids])))
      .orderBy(uploads.id)
      .for('update', { noWait: true });
  } catch (error) {
    if (isDatabaseError(error, 'lockNotAvailable')) return 'busy';
    throw error;
  }
}

/** Returns those of the caller's uploads whose bytes are complete and verified. */
export const findVerified = (
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<UploadRow[]> =>
  db
    .select()
    .from(uploads)
    .where(
      and(
        eq(uploads.userId, userId),
        inArray(uploads.id, [...ids]),
        eq(uploads.status, 'verified'),
      ),
    );

/** Returns whether the video belongs to this photo. */
export async function isLivePhoto(db: Db, photoId: string, videoId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select 1 from ${checkedAssets} where id = ${photoId} and live_video_id = ${videoId}`,
  );
  return rows.length > 0;
}

export async function settleUpload(
  db: Db,
  id: string,
  set: {
    readonly status: 'published' | 'duplicate';
    readonly assetId: string;
    readonly updatedAt: Date;
  },
): Promise<void> {
  await db.update(uploads).set(set).where(eq(uploads.id, id));
}
