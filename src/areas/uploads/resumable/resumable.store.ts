import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { uploads, type UploadRow } from '../../../db/tables/uploads.ts';
import { isOpen, type Upload } from '../../../staging/staging.store.ts';
import { checkedAssets } from '../../../access/unscoped.ts';
import { isDatabaseError } from '../../../db/errors.ts';

export type { Upload } from '../../../staging/staging.store.ts';

type Staged = Pick<Upload, 'id' | 'fileEpoch'>;

/**
 * Inserts the upload. Returns false when the user has `maxOpen` unfinished ones that have not expired.
 */
export async function insertUpload(
  db: Db,
  upload: typeof uploads.$inferInsert,
  maxOpen: number,
): Promise<boolean> {
  const { userId, createdAt } = upload;
  // Serialises concurrent creations of one user, which could exceed the limit.
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(${`upload:${userId}`}, 0))`,
  );
  const open = getRow(
    await db
      .select({ count: sql<number>`count(*)::int` })
      .from(uploads)
      .where(and(eq(uploads.userId, userId), isOpen, gt(uploads.expiresAt, createdAt))),
  );
  if (open.count >= maxOpen) return false;
  await db.insert(uploads).values(upload);
  return true;
}

export async function findUpload(db: Db, userId: string, id: string): Promise<Upload | undefined> {
  const [row] = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.userId, userId)));
  return row;
}

/** Returns false when the upload is an asset already. */
export async function cancelUpload(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(uploads)
    .set({ status: 'cancelled', finalStatus: null, finalBody: null, updatedAt: now })
    .where(and(eq(uploads.id, id), inArray(uploads.status, ['incomplete', 'verified', 'failed'])))
    .returning({ id: uploads.id });
  return rows.length > 0;
}

/** Cancels expired uploads and returns their files. */
export async function cancelExpired(db: Db, now: Date): Promise<Staged[]> {
  const rows = await db
    .update(uploads)
    .set({ status: 'cancelled', error: 'expired', updatedAt: now })
    .where(and(isOpen, lt(uploads.expiresAt, now)))
    .returning({ id: uploads.id, fileEpoch: uploads.fileEpoch });
  return rows;
}

/** Deletes the rows of uploads that expired before this time. */
export async function deleteExpired(db: Db, expiredBefore: Date): Promise<void> {
  await db.delete(uploads).where(lt(uploads.expiresAt, expiredBefore));
}

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
