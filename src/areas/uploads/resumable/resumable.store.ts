import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { uploads } from '../../../db/tables/uploads.ts';
import { isOpen, type Upload } from '../../../staging/staging.store.ts';

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
