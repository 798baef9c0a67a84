import { and, eq, sql } from 'drizzle-orm';
import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { type AssetRow, originals } from '../../../db/tables/assets.ts';
import { scheduleDeletion } from '../../../storage/index.ts';

export type NewMotionVideo = {
  readonly id: string;
  readonly stillId: string;
  readonly fileName: string;
  readonly sha1: Uint8Array;
  readonly sha256: Uint8Array;
  readonly size: number;
  readonly durationMs: number | undefined;
  readonly now: Date;
};

/**
 * Creates a hidden asset for the video of a motion photo and links it ('added'), or links an equal
 * video that another still has left behind ('linked'). Returns 'none' when the still is gone or has a
 * video, or when the owner has these bytes as an item. A photo with the same video as another one gets a copy of
 * it: each is locked and deleted with its own. So does a guest's, who must not learn what the owner has. Locks the
 * row of the original until commit.
 */
export async function addMotionVideo(
  db: Db,
  motion: NewMotionVideo,
): Promise<'added' | 'linked' | 'none'> {
  const { id, stillId, fileName, sha1, sha256, size, durationMs, now } = motion;
  await db
    .insert(originals)
    .values({ sha256, size })
    .onConflictDoUpdate({ target: originals.sha256, set: { size: sql`${originals.size}` } });
  const [still] = await db.select().from(assets).where(eq(assets.id, stillId)).for('no key update');
  if (!still || still.liveVideoId) return 'none';
  const { ownerId, uploadLinkId, takenAt, localTakenAt, fileModifiedAt, lockedAt, trashedAt } =
    still;
  const video = {
    id,
    ownerId,
    uploadLinkId,
    type: 'VIDEO',
    sha1,
    sha256,
    fileName,
    fileSize: size,
    visibility: 'hidden',
    lockedAt,
    trashedAt,
    takenAt,
    localTakenAt,
    fileModifiedAt,
    durationMs: durationMs ?? null,
  } as const;
  let added = await insertUnlessKnown(db, video);
  const known = added ? undefined : await findKnown(db, still, sha1);
  const freeId = known?.isMotion && known.isFree ? known.id : undefined;
  if (!added && !freeId && (uploadLinkId || known?.isMotion)) {
    await db.insert(assets).values({ ...video, isCopy: true });
    added = true;
  }
  if (!added && !freeId) return 'none';
  await db
    .update(assets)
    .set({ liveVideoId: freeId ?? id, updatedAt: now })
    .where(eq(assets.id, stillId));
  return added ? 'added' : 'linked';
}

/** Returns false when the owner already has an asset with this SHA-1. */
async function insertUnlessKnown(db: Db, asset: typeof assets.$inferInsert): Promise<boolean> {
  const rows = await db
    .insert(assets)
    .values(asset)
    .onConflictDoNothing({ target: [assets.ownerId, assets.sha1], where: sql`not is_copy` })
    .returning({ id: assets.id });
  return rows.length > 0;
}

/** Returns the owner's asset with this SHA-1. It is free if no still has it, and it came in through the same link. */
async function findKnown(
  db: Db,
  { ownerId, uploadLinkId }: Pick<AssetRow, 'ownerId' | 'uploadLinkId'>,
  sha1: Uint8Array,
) {
  const [row] = await db
    .select({
      id: assets.id,
      isMotion: sql<boolean>`${assets.type} = 'VIDEO' and ${assets.visibility} = 'hidden'`,
      isFree: sql<boolean>`${assets.uploadLinkId} is not distinct from ${uploadLinkId}
        and not exists (select 1 from ${assets} still where still.live_video_id = asset.id)`,
    })
    .from(assets)
    .where(and(eq(assets.ownerId, ownerId), eq(assets.sha1, sha1), sql`not ${assets.isCopy}`));
  return row;
}

/** Deletes the row of an original that no asset uses, and its object. */
export const deleteUnusedOriginal = async (db: Db, sha256: Uint8Array): Promise<void> => {
  const gone = await db
    .delete(originals)
    .where(
      and(
        eq(originals.sha256, sha256),
        sql`not exists (select 1 from ${assets} where asset.sha256 = ${originals.sha256})`,
      ),
    )
    .returning({ objectKey: originals.objectKey });
  const keys = gone.flatMap(({ objectKey }) => objectKey ?? []);
  await scheduleDeletion(db, keys, 0);
};
