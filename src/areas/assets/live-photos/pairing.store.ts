import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../../db/client.ts';
import { scheduleDeletion } from '../../../storage/objects.store.ts';
import { albumAssets } from '../../../db/tables/albums.ts';
import {
  type AssetRow,
  assetExif,
  assetSupplements,
  originals,
} from '../../../db/tables/assets.ts';
import { queryRows } from '../../../db/query.ts';

/**
 * Serialises the jobs of both halves of a live photo, so that the second sees the row of the first. `key` is
 * what they have in common: the ContentIdentifier, or the folder and the name.
 */
export async function lockHalves(db: Db, ownerId: string, key: string): Promise<void> {
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(${`${ownerId}:${key}`}, 0))`,
  );
}

export type LivePhotoHalf = {
  readonly id: string;
  readonly type: 'IMAGE' | 'VIDEO';
  readonly lockedAt: Date | null;
  readonly trashedAt: Date | null;
  readonly liveVideoId: string | null;
  readonly contentIdentifier: string | null;
  readonly durationMs: number | null;
  /** Time of capture by the export of another service. */
  readonly exportedAt: Date | null;
  /** True for a video that another still has already. */
  readonly isPaired: boolean;
};

/**
 * Returns the owner's assets with this ContentIdentifier that were uploaded through the same shared
 * link as `id`, or through none, oldest first. Locks their rows until commit.
 */
export async function findHalves(
  db: Db,
  { id, ownerId }: { readonly id: string; readonly ownerId: string },
  contentIdentifier: string,
): Promise<LivePhotoHalf[]> {
  const isFromSameLink = sql`${assets.uploadLinkId} is not distinct from (
    select read.upload_link_id from ${assets} read where read.id = ${id})`;
  const isCaptured = eq(assetExif.livePhotoCid, contentIdentifier);
  return selectLockedHalves(
    db,
    and(isCaptured, eq(assets.ownerId, ownerId), isFromSameLink),
    assets.createdAt,
  );
}

const HALF = {
  id: assets.id,
  type: assets.type,
  lockedAt: assets.lockedAt,
  trashedAt: assets.trashedAt,
  liveVideoId: assets.liveVideoId,
  contentIdentifier: assetExif.livePhotoCid,
  durationMs: assets.durationMs,
  exportedAt: assetSupplements.takenAt,
  isPaired: sql<boolean>`exists (
    select 1 from ${assets} still where still.live_video_id = ${assets.id})`,
};

const isHalf = <T extends { readonly type: AssetRow['type'] }>(
  row: T,
): row is T & { readonly type: LivePhotoHalf['type'] } =>
  row.type === 'IMAGE' || row.type === 'VIDEO';

async function selectLockedHalves(
  db: Db,
  condition: SQL | undefined,
  order: AnyPgColumn,
): Promise<LivePhotoHalf[]> {
  const rows = await db
    .select(HALF)
    .from(assets)
    .innerJoin(assetExif, eq(assetExif.assetId, assets.id))
    .leftJoin(assetSupplements, eq(assetSupplements.assetId, assets.id))
    .where(condition)
    .orderBy(order, assets.id)
    .for('no key update', { of: assets });
  return rows.filter(isHalf);
}

export type LibraryFile = Pick<AssetRow, 'ownerId' | 'libraryId' | 'folder'>;

/**
 * Returns the items of files with these names in the same folder of an external library, whose metadata was
 * read, by name. Locks their rows until commit.
 */
export async function findHalvesByName(
  db: Db,
  { ownerId, libraryId, folder }: LibraryFile,
  fileNames: readonly string[],
): Promise<LivePhotoHalf[]> {
  if (libraryId === null || folder === null) return [];
  const condition = and(
    eq(assets.ownerId, ownerId),
    eq(assets.libraryId, libraryId),
    eq(assets.folder, folder),
    inArray(assets.fileName, [...fileNames]),
    isNotNull(assets.metadataReadAt),
  );
  return selectLockedHalves(db, condition, assets.fileName);
}

/**
 * Hides the video behind its still and gives it the still's lock and trash state. Stores the visibility
 * of a favorite, or of a video uploaded more than a day before its still, which becomes an item again
 * when the still goes.
 */
export async function pairHalves(
  db: Db,
  still: LivePhotoHalf,
  videoId: string,
  now: Date,
): Promise<void> {
  await db
    .update(assets)
    .set({ liveVideoId: videoId, updatedAt: now })
    .where(eq(assets.id, still.id));
  await db
    .update(assets)
    .set({
      visibility: 'hidden',
      standaloneVisibility: sql`case when ${assets.visibility} <> 'hidden' and (${assets.isFavorite}
        or ${assets.createdAt} < (select created_at from ${assets} still where still.id = ${still.id})
          - interval '1 day')
        then ${assets.visibility} else ${assets.standaloneVisibility} end`,
      lockedAt: still.lockedAt,
      trashedAt: still.trashedAt,
      updatedAt: now,
    })
    .where(eq(assets.id, videoId));
  // Albums show it through the still.
  await db.delete(albumAssets).where(eq(albumAssets.assetId, videoId));
}

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
 * video, or when the owner has these bytes as an item. A guest's photo always gets a new video: a guest
 * must not learn what the owner has. Locks the row of the original until commit.
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
  const freeId = added ? undefined : await findFreeMotion(db, still, sha1);
  if (!added && !freeId && uploadLinkId) {
    await db.insert(assets).values({ ...video, isCopy: true });
    added = true;
  }
  const videoId = added ? id : freeId;
  if (!videoId) return 'none';
  await db
    .update(assets)
    .set({ liveVideoId: videoId, updatedAt: now })
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

/** Returns the id of an equal hidden video without a still, uploaded through the same link. */
async function findFreeMotion(
  db: Db,
  { ownerId, uploadLinkId }: Pick<AssetRow, 'ownerId' | 'uploadLinkId'>,
  sha1: Uint8Array,
) {
  const [row] = await db
    .select({ id: assets.id })
    .from(assets)
    .where(
      and(
        eq(assets.ownerId, ownerId),
        eq(assets.sha1, sha1),
        sql`not ${assets.isCopy}`,
        sql`${assets.uploadLinkId} is not distinct from ${uploadLinkId}`,
        eq(assets.type, 'VIDEO'),
        eq(assets.visibility, 'hidden'),
        sql`not exists (select 1 from ${assets} still where still.live_video_id = ${assets.id})`,
      ),
    );
  return row?.id;
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
