import { and, desc, eq, gt, inArray, lt, ne, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type UploadRow, uploads } from '../../../db/tables/uploads.ts';
import { uuids } from '../../../db/arrays.ts';
import { getRow, queryRows } from '../../../db/query.ts';

export type Upload = UploadRow;

type Staged = Pick<Upload, 'id' | 'fileEpoch'>;

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

const isIncomplete = (id: string, now: Date) =>
  and(eq(uploads.id, id), eq(uploads.status, 'incomplete'), gt(uploads.expiresAt, now));

/**
 * Begins an epoch of an upload, whose file is in the folder `stagingId` from now on. Returns undefined when the upload is
 * complete, cancelled, expired or deleted, or another server has begun with its file.
 */
export async function claimUpload(
  db: Db,
  upload: Pick<Upload, 'id' | 'stagingId'>,
  stagingId: string | null,
  now: Date,
): Promise<Upload | undefined> {
  const isStaged = sql`${uploads.stagingId} is not distinct from ${upload.stagingId}::uuid`;
  const [claimed] = await db
    .update(uploads)
    .set({ epoch: sql`${uploads.epoch} + 1`, stagingId, updatedAt: now })
    .where(and(isIncomplete(upload.id, now), isStaged))
    .returning();
  return claimed;
}

/**
 * Updates an incomplete upload of this epoch. Returns 'superseded' when there is a newer one, and otherwise 'gone'
 * when the upload is complete, cancelled, expired or deleted.
 */
export async function updateIncomplete(
  db: Db,
  { id, epoch }: Pick<Upload, 'id' | 'epoch'>,
  set: Partial<Upload> & { readonly updatedAt: Date },
): Promise<'updated' | 'superseded' | 'gone'> {
  const rows = await db
    .update(uploads)
    .set(set)
    .where(and(isIncomplete(id, set.updatedAt), eq(uploads.epoch, epoch)))
    .returning({ id: uploads.id });
  if (rows.length > 0) return 'updated';
  const newer = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(eq(uploads.id, id), gt(uploads.epoch, epoch)));
  return newer.length > 0 ? 'superseded' : 'gone';
}

/** Returns the folder of the half of a live photo that the account has begun last, besides `upload`, and not published. */
export async function findLatestHalf(
  db: Db,
  { id, userId, createdAt }: Pick<Upload, 'id' | 'userId' | 'createdAt'>,
): Promise<string | undefined> {
  const [row] = await db
    .select({ stagingId: uploads.stagingId })
    .from(uploads)
    .where(
      and(
        eq(uploads.userId, userId),
        eq(uploads.publication, 'live-photo'),
        isOpen,
        gt(uploads.expiresAt, createdAt),
        ne(uploads.id, id),
      ),
    )
    .orderBy(desc(uploads.createdAt))
    .limit(1);
  return row?.stagingId ?? undefined;
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

/** Returns of those of `ids` that are unfinished the epoch of the file whose bytes are needed. */
export async function listOpenEpochs(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: uploads.id, fileEpoch: uploads.fileEpoch })
    .from(uploads)
    .where(and(isOpen, sql`${uploads.id} = any(${uuids(ids)})`));
  return new Map(rows.map(({ id, fileEpoch }) => [id, fileEpoch]));
}
