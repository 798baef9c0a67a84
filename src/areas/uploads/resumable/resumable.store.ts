import { and, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type UploadRow, uploads } from '../../../db/tables/uploads.ts';
import { uuids } from '../../../db/arrays.ts';

export type Upload = UploadRow;

const isOpen = inArray(uploads.status, ['incomplete', 'verified']);

/** False when the account has `maxOpen` of them already. Uploads that have expired do not count. */
export async function insertUpload(
  db: Db,
  upload: typeof uploads.$inferInsert,
  maxOpen: number,
): Promise<boolean> {
  const { userId, createdAt } = upload;
  // Two of one account at the same moment would both find the last free place.
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`upload:${userId}`}, 0))`);
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

/**
 * Notes something about an upload that is still being received. False when it is not any more: it
 * was cancelled, expired, or its account is gone.
 */
export async function updateOpen(
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

/** False when it has become an asset. */
export async function cancelUpload(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(uploads)
    .set({ status: 'cancelled', finalStatus: null, finalBody: null, updatedAt: now })
    .where(and(eq(uploads.id, id), inArray(uploads.status, ['incomplete', 'verified', 'failed'])))
    .returning({ id: uploads.id });
  return rows.length > 0;
}

/** Gives up what has expired, and answers what is to be removed with it. */
export async function expireUploads(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .update(uploads)
    .set({ status: 'cancelled', error: 'expired', updatedAt: now })
    .where(and(isOpen, lt(uploads.expiresAt, now)))
    .returning({ id: uploads.id });
  return rows.map((row) => row.id);
}

/** After this nobody can tell an expired upload from one that never was. */
export async function forgetUploads(db: Db, expiredBefore: Date): Promise<void> {
  await db.delete(uploads).where(lt(uploads.expiresAt, expiredBefore));
}

/** Those of `ids` whose bytes are still wanted. */
export async function openAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(isOpen, sql`${uploads.id} = any(${uuids(ids)})`));
  return new Set(rows.map((row) => row.id));
}
