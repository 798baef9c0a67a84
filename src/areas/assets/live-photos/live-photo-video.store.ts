import { checkedAssets as assets } from '../../../access/unscoped.ts';
import { and, eq, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { type AssetRow } from '../../../db/tables/assets.ts';
import { queryRows } from '../../../db/query.ts';

export type Video = Pick<AssetRow, 'ownerId' | 'uploadLinkId' | 'type' | 'lockedAt'> & {
  /** A still has this video already. */
  readonly isPaired: boolean;
};

/**
 * Returns an asset of any owner, for a caller who checks access. It is locked until commit if it is the owner's:
 * nobody makes others wait for their own items.
 */
export async function lockOwnVideo(
  db: Db,
  id: string,
  ownerId: string,
): Promise<Video | undefined> {
  await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(eq(assets.id, id), eq(assets.ownerId, ownerId)))
    .for('update');
  const [row] = await db
    .select({
      ownerId: assets.ownerId,
      uploadLinkId: assets.uploadLinkId,
      type: assets.type,
      lockedAt: assets.lockedAt,
      isPaired: sql<boolean>`exists (select 1 from ${assets} still where still.live_video_id = ${id})`,
    })
    .from(assets)
    .where(eq(assets.id, id));
  return row;
}

type VideoPlacement = {
  readonly lockedAt: Date | null;
  readonly trashedAt: Date | null;
  readonly now: Date;
  /** The owner is uploading the still: a video that came within a day before it is its other half. */
  readonly isUpload: boolean;
};

/**
 * Hides the video, with the lock and trash state of its still. Stores its previous visibility if it was an item
 * of its own: a favorite, one uploaded more than a day before its still, and one that was linked by hand.
 */
export async function hideVideo(
  db: Db,
  id: string,
  { lockedAt, trashedAt, now, isUpload }: VideoPlacement,
) {
  const wasItem = isUpload
    ? sql`(${assets.isFavorite} or ${assets.createdAt} < ${now.toISOString()}::timestamptz - interval '1 day')`
    : sql`true`;
  await db
    .update(assets)
    .set({
      visibility: 'hidden',
      standaloneVisibility: sql`case when ${assets.visibility} <> 'hidden' and ${wasItem}
        then ${assets.visibility} else ${assets.standaloneVisibility} end`,
      trashedAt,
      ...(lockedAt && { lockedAt }),
      updatedAt: now,
    })
    .where(eq(assets.id, id));
}

/** Makes the video an item again unless another still uses it. */
export async function showVideo(
  db: Db,
  id: string,
  still: { readonly id: string; readonly visibility: AssetRow['visibility'] },
  now: Date,
): Promise<void> {
  const visibility = still.visibility === 'hidden' ? 'timeline' : still.visibility;
  await queryRows(
    db,
    sql`
    update ${assets} set visibility = coalesce(standalone_visibility, ${visibility}),
      standalone_visibility = null, updated_at = ${now.toISOString()}
    where id = ${id} and visibility = 'hidden' and not exists (
      select from ${assets} other where other.live_video_id = asset.id and other.id <> ${still.id})`,
  );
}
