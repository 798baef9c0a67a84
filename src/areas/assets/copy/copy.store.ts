import { checkedAssets } from '../../../access/unscoped.ts';
import { and, eq, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../../access/albums.ts';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { assetFiles } from '../../../db/tables/assets.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Limits of the links that an item takes over from another. */
export const LINK_LIMITS = ['albumItem', 'sharedLinkItem', 'taggedItem'] as const;
/** Albums, links and tags of one item, far more than usual. */
export const MANY_LINKS = 1000;

/** Two assets of one user. */
export type CopyPair = {
  readonly sourceId: string;
  readonly targetId: string;
  readonly userId: string;
};

export type CopyAsset = {
  readonly id: string;
  readonly stackId: string | null;
  readonly isLocked: boolean;
  readonly isTrashed: boolean;
  readonly isHidden: boolean;
};

/** Returns source and target, each undefined unless the caller owns it and may see it. */
export async function findPair(db: Db, session: Session, { sourceId, targetId }: CopyPair) {
  const asset = ownAssets(db, session, 'any');
  const rows: CopyAsset[] = await db
    .select({
      id: asset.id,
      stackId: asset.stackId,
      isLocked: sql<boolean>`${asset.lockedAt} is not null`,
      isTrashed: sql<boolean>`${asset.trashedAt} is not null`,
      isHidden: sql<boolean>`${asset.visibility} = 'hidden'`,
    })
    .from(asset)
    .where(sql`${asset.id} in (${sourceId}, ${targetId})`);
  const find = (id: string) => rows.find((row) => row.id === id);
  return [find(sourceId), find(targetId)] as const;
}

/** SQL condition: the user may add assets to "album". */
export const canAddToAlbum = (userId: string) => sql`(album.owner_id = ${userId}
  or exists (select from album_user where album_user.album_id = album.id
    and album_user.user_id = ${userId} and album_user.role = 'editor')
  and ${HAS_ACTIVE_OWNER})`;

/** Adds the assets to the albums that the user may still add to. */
export async function copyAlbums(db: Db, pair: CopyPair, now: Date): Promise<void> {
  await queryRows(
    db,
    sql`
    with added as (
      insert into album_asset (album_id, asset_id, added_by)
      select album.id, ${pair.targetId}::uuid, ${pair.userId}::uuid
      from album_asset join album on album.id = album_asset.album_id
      where album_asset.asset_id = ${pair.sourceId} and ${canAddToAlbum(pair.userId)}
      order by album.id
      on conflict do nothing
      returning album_id
    )
    update album set updated_at = ${now.toISOString()} where id in (select album_id from added)`,
  );
}

/** Returns whether guests may download the target now. */
export async function copyLinks(
  db: Db,
  { sourceId, targetId, userId }: CopyPair,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    { isDownloaded: column.boolean },
    sql`
    with added as (
      insert into shared_link_asset (link_id, asset_id)
      select link.id, ${targetId}::uuid from shared_link_asset
      join shared_link link on link.id = shared_link_asset.link_id
      where shared_link_asset.asset_id = ${sourceId} and link.owner_id = ${userId}
      on conflict do nothing returning link_id
    )
    select link.allow_download as "isDownloaded" from added join shared_link link on link.id = link_id`,
  );
  return rows.some(({ isDownloaded }) => isDownloaded);
}

export async function copyFavorite(
  db: Db,
  { sourceId, targetId }: CopyPair,
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set is_favorite = source.is_favorite, updated_at = ${now.toISOString()}
    from ${checkedAssets} source where source.id = ${sourceId} and asset.id = ${targetId}
      and asset.is_favorite <> source.is_favorite`,
  );
}

/** Moves the target with its stack into the stack of the source. */
export async function joinStack(
  db: Db,
  { targetId }: CopyPair,
  { stackId }: CopyAsset,
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set stack_id = ${stackId}, updated_at = ${now.toISOString()}
    where id = ${targetId} or stack_id = (select stack_id from ${checkedAssets} where id = ${targetId})`,
  );
}

/**
 * Copies edited fields and tags, which other programs would store in the sidecar. Returns whether the
 * asset got a tag.
 */
export async function copyManualEdits(db: Db, pair: CopyPair, now: Date): Promise<boolean> {
  const { sourceId, targetId } = pair;
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set taken_at = source.taken_at, local_taken_at = source.local_taken_at,
      updated_at = ${now.toISOString()}
    from ${checkedAssets} source join asset_exif exif on exif.asset_id = source.id
    where source.id = ${sourceId} and asset.id = ${targetId}
      and 'dateTimeOriginal' = any(exif.edited_fields)`,
  );
  const copied = (field: string, column: string) => {
    const name = sql.identifier(column);
    return sql`${name} = case when ${field} = any(source.edited_fields)
      then source.${name} else exif.${name} end`;
  };
  await queryRows(
    db,
    sql`
    update asset_exif exif set
      ${copied('description', 'description')}, ${copied('rating', 'rating')},
      ${copied('dateTimeOriginal', 'date_time_original')}, ${copied('dateTimeOriginal', 'time_zone')},
      ${copied('latitude', 'latitude')}, ${copied('longitude', 'longitude')},
      edited_fields = array(
        select distinct unnest(exif.edited_fields || source.edited_fields) order by 1)
    from asset_exif source where source.asset_id = ${sourceId} and exif.asset_id = ${targetId}
      and cardinality(source.edited_fields) > 0`,
  );
  const tagged = await queryRows(
    db,
    sql`
    insert into tag_asset (tag_id, asset_id)
    select tag_asset.tag_id, ${targetId}::uuid from tag_asset join tag on tag.id = tag_asset.tag_id
    where tag_asset.asset_id = ${sourceId} and tag.owner_id = ${pair.userId}
    on conflict do nothing returning 1`,
  );
  return tagged.length > 0;
}

export type Sidecar = {
  /** Relative to the derived folder. */
  readonly name: string;
  readonly mimeType: string;
  readonly size: number;
  readonly tag: string;
};

export async function findSidecar(
  db: Db,
  session: Session,
  id: string,
): Promise<Sidecar | undefined> {
  const asset = ownAssets(db, session, 'any');
  const [row] = await db
    .select({
      name: assetFiles.name,
      mimeType: assetFiles.mimeType,
      size: assetFiles.size,
      tag: assetFiles.tag,
    })
    .from(asset)
    .innerJoin(assetFiles, and(eq(assetFiles.assetId, asset.id), eq(assetFiles.kind, 'sidecar')))
    .where(eq(asset.id, id));
  return row;
}

/** Returns the name of the replaced file. */
export async function replaceSidecar(
  db: Db,
  assetId: string,
  sidecar: Sidecar,
): Promise<string | undefined> {
  const [before] = await db
    .select({ name: assetFiles.name })
    .from(assetFiles)
    .where(and(eq(assetFiles.assetId, assetId), eq(assetFiles.kind, 'sidecar')))
    .for('update');
  await db
    .insert(assetFiles)
    .values({ assetId, kind: 'sidecar', ...sidecar })
    .onConflictDoUpdate({ target: [assetFiles.assetId, assetFiles.kind], set: { ...sidecar } });
  return before?.name;
}
