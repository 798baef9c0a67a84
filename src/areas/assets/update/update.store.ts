import { checkedAssets as assets } from '../../../access/unscoped.ts';
import { eq, sql } from 'drizzle-orm';
import { NEXT_ROW_VERSION } from '../../row-versions/index.ts';
import { lockOwned, ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { type AssetRow, type ExifRow, assetExif } from '../../../db/tables/assets.ts';

export type OwnAsset = Pick<
  AssetRow,
  | 'id'
  | 'ownerId'
  | 'type'
  | 'visibility'
  | 'lockedAt'
  | 'trashedAt'
  | 'liveVideoId'
  | 'uploadLinkId'
> & {
  readonly timeZone: string | null;
};

/** Returns the caller's own asset and locks its row until commit. */
export async function findOwnForUpdate(
  db: Db,
  session: Session,
  id: string,
): Promise<OwnAsset | undefined> {
  if ((await lockOwned(db, session, [id])).size === 0) return undefined;
  const asset = ownAssets(db, session, 'any');
  const [row] = await db
    .select({
      id: asset.id,
      ownerId: asset.ownerId,
      type: asset.type,
      visibility: asset.visibility,
      lockedAt: asset.lockedAt,
      trashedAt: asset.trashedAt,
      liveVideoId: asset.liveVideoId,
      uploadLinkId: asset.uploadLinkId,
      timeZone: assetExif.timeZone,
    })
    .from(asset)
    .leftJoin(assetExif, eq(assetExif.assetId, asset.id))
    .where(eq(asset.id, id));
  return row;
}

export type AssetChange = Partial<
  Pick<
    AssetRow,
    'isFavorite' | 'visibility' | 'trashedAt' | 'liveVideoId' | 'takenAt' | 'localTakenAt'
  >
>;

/**
 * For changes by the owner. Always changes `updated_at`, which gives the asset's month a new version.
 */
export const updateAssetRow = (db: Db, id: string, change: AssetChange, now: Date) =>
  db
    .update(assets)
    .set({ ...change, updatedAt: now, stateRevision: NEXT_ROW_VERSION })
    .where(eq(assets.id, id));

export type ExifChange = Partial<
  Pick<
    ExifRow,
    | 'description'
    | 'rating'
    | 'dateTimeOriginal'
    | 'timeZone'
    | 'latitude'
    | 'longitude'
    | 'city'
    | 'state'
    | 'country'
  >
>;

/** Adds `edited` to `edited_fields`, which a new extraction of metadata does not overwrite. */
export async function updateExif(
  db: Db,
  assetId: string,
  change: ExifChange,
  edited: readonly string[],
): Promise<void> {
  const list = `{${edited.join(',')}}`;
  await db
    .insert(assetExif)
    .values({ assetId, ...change, editedFields: [...edited] })
    .onConflictDoUpdate({
      target: assetExif.assetId,
      set: {
        ...change,
        editedFields: sql`array(
          select distinct unnest(${assetExif.editedFields} || ${list}::text[]) order by 1)`,
      },
    });
}
