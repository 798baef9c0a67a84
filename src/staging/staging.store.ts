import { and, desc, eq, gt, inArray, ne, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { type UploadRow, uploads } from '../db/tables/uploads.ts';

export type Upload = UploadRow;

export const isOpen = inArray(uploads.status, ['incomplete', 'verified']);

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
