import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type UploadRow, uploads } from '../../../db/tables/uploads.ts';
import { uuids } from '../../../db/arrays.ts';
import { queryRows } from '../../../db/query.ts';

export type Upload = UploadRow;

const isOpen = inArray(uploads.status, ['incomplete', 'verified']);

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
  const [open] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(uploads)
    .where(and(eq(uploads.userId, userId), isOpen, gt(uploads.expiresAt, createdAt)));
  if (open!.count >= maxOpen) return false;
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

/** Updates an incomplete upload. Returns false when it is complete, cancelled, expired or deleted. */
export async function updateIncomplete(
  db: Db,
  id: string,
  set: Partial<typeof uploads.$inferInsert> & { readonly updatedAt: Date },
): Promise<boolean> {
  const rows = await db
    .update(uploads)
    .set(set)
    .where(
      and(
        eq(uploads.id, id),
        eq(uploads.status, 'incomplete'),
        gt(uploads.expiresAt, set.updatedAt),
      ),
    )
    .returning({ id: uploads.id });
  return rows.length > 0;
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

/** Cancels expired uploads and returns their ids. */
export async function cancelExpired(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .update(uploads)
    .set({ status: 'cancelled', error: 'expired', updatedAt: now })
    .where(and(isOpen, lt(uploads.expiresAt, now)))
    .returning({ id: uploads.id });
  return rows.map((row) => row.id);
}

/** Deletes the rows of uploads that expired before this time. */
export async function deleteExpired(db: Db, expiredBefore: Date): Promise<void> {
  await db.delete(uploads).where(lt(uploads.expiresAt, expiredBefore));
}

/** Returns those of `ids` that are unfinished, whose bytes are needed. */
export async function filterOpen(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(isOpen, sql`${uploads.id} = any(${uuids(ids)})`));
  return new Set(rows.map((row) => row.id));
}
