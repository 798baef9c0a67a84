import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../../db/client.ts';
import { albumAssets } from '../../../db/tables/albums.ts';
import { type AssetRow, assetExif, assetSupplements } from '../../../db/tables/assets.ts';
import { column } from '../../../db/columns.ts';
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
  readonly fileName: string;
  /** Folder in an external library. */
  readonly folder: string | null;
  readonly type: 'IMAGE' | 'VIDEO';
  readonly visibility: AssetRow['visibility'];
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
  fileName: assets.fileName,
  folder: assets.folder,
  type: assets.type,
  visibility: assets.visibility,
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

/** Returns the halves of the pairs of files that this asset is in, but for videos that only a person can have linked. */
export async function findOwnPairs(
  db: Db,
  id: string,
): Promise<{ readonly still: LivePhotoHalf; readonly video: LivePhotoHalf }[]> {
  const ids = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select unnest(array[still.id, video.id]) as id from ${assets} still
    join ${assets} video on video.id = still.live_video_id
    left join asset_exif told on told.asset_id = video.id
    where (still.id = ${id} or still.live_video_id = ${id})
      and (video.library_id is not null or told.live_photo_cid is not null)`,
  );
  if (ids.length === 0) return [];
  const isOfPair = inArray(
    assets.id,
    ids.map((row) => row.id),
  );
  const halves = await selectLockedHalves(db, isOfPair, assets.createdAt);
  return halves.flatMap((still) => {
    const video = halves.find((one) => one.id === still.liveVideoId);
    return video ? [{ still, video }] : [];
  });
}

/** Takes the video from a still that another one has a better right to. */
export const unpairStill = async (db: Db, id: string, now: Date): Promise<void> => {
  await db.update(assets).set({ liveVideoId: null, updatedAt: now }).where(eq(assets.id, id));
};

/**
 * Hides the video behind its still and gives it the still's lock and trash state. Stores the visibility
 * of a favorite, or of a video uploaded more than a day before its still, which becomes an item again
 * when the still goes.
 */
export async function pairHalves(
  db: Db,
  still: Pick<LivePhotoHalf, 'id' | 'lockedAt' | 'trashedAt'>,
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
