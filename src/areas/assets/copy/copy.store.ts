import { unscopedAssets } from '../../../access/unscoped.ts';
import { and, eq, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../../access/albums.ts';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { assetFiles } from '../../../db/tables/assets.ts';

/** Both are assets of the account. */
export type Pair = {
  readonly sourceId: string;
  readonly targetId: string;
  readonly userId: string;
};

export type Member = {
  readonly id: string;
  readonly stackId: string | null;
  readonly isLocked: boolean;
  readonly isTrashed: boolean;
  readonly isHidden: boolean;
};

/** Source and target, where the caller owns and sees them. */
export async function findPair(db: Db, session: Session, { sourceId, targetId }: Pair) {
  const asset = ownAssets(db, session, 'any');
  const rows: Member[] = await db
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

/** Whether the account may put something into "album". */
export const mayFill = (userId: string) => sql`(album.owner_id = ${userId}
  or exists (select from album_user where album_user.album_id = album.id
    and album_user.user_id = ${userId} and album_user.role = 'editor')
  and ${HAS_ACTIVE_OWNER})`;

/** Into the albums that the account may still put something into. */
export async function copyAlbums(db: Db, pair: Pair, now: Date): Promise<void> {
  await db.execute(sql`
    with added as (
      insert into album_asset (album_id, asset_id, added_by)
      select album.id, ${pair.targetId}::uuid, ${pair.userId}::uuid
      from album_asset join album on album.id = album_asset.album_id
      where album_asset.asset_id = ${pair.sourceId} and ${mayFill(pair.userId)}
      order by album.id
      on conflict do nothing
      returning album_id
    )
    update album set updated_at = ${now.toISOString()} where id in (select album_id from added)`);
}

export async function copyLinks(db: Db, { sourceId, targetId, userId }: Pair): Promise<void> {
  await db.execute(sql`
    insert into shared_link_asset (link_id, asset_id)
    select link.id, ${targetId}::uuid from shared_link_asset
    join shared_link link on link.id = shared_link_asset.link_id
    where shared_link_asset.asset_id = ${sourceId} and link.owner_id = ${userId}
    on conflict do nothing`);
}

export async function copyFavorite(db: Db, { sourceId, targetId }: Pair, now: Date): Promise<void> {
  await db.execute(sql`
    update ${unscopedAssets} set is_favorite = source.is_favorite, updated_at = ${now.toISOString()}
    from ${unscopedAssets} source where source.id = ${sourceId} and asset.id = ${targetId}
      and asset.is_favorite <> source.is_favorite`);
}

/** The target, and the stack that it is in, become part of the stack of the source. */
export async function joinStack(
  db: Db,
  { targetId }: Pair,
  { stackId }: Member,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update ${unscopedAssets} set stack_id = ${stackId}, updated_at = ${now.toISOString()}
    where id = ${targetId} or stack_id = (select stack_id from ${unscopedAssets} where id = ${targetId})`);
}

/**
 * What the owner wrote by hand lies here where other programs keep it in the sidecar: fields that
 * were edited, and tags.
 */
export async function copyByHand(db: Db, pair: Pair, now: Date): Promise<void> {
  const { sourceId, targetId } = pair;
  await db.execute(sql`
    update ${unscopedAssets} set taken_at = source.taken_at, local_taken_at = source.local_taken_at,
      updated_at = ${now.toISOString()}
    from ${unscopedAssets} source join asset_exif exif on exif.asset_id = source.id
    where source.id = ${sourceId} and asset.id = ${targetId}
      and 'dateTimeOriginal' = any(exif.edited_fields)`);
  const copied = (field: string, column: string) => {
    const name = sql.identifier(column);
    return sql`${name} = case when ${field} = any(source.edited_fields)
      then source.${name} else exif.${name} end`;
  };
  await db.execute(sql`
    update asset_exif exif set
      ${copied('description', 'description')}, ${copied('rating', 'rating')},
      ${copied('dateTimeOriginal', 'date_time_original')}, ${copied('dateTimeOriginal', 'time_zone')},
      ${copied('latitude', 'latitude')}, ${copied('longitude', 'longitude')},
      edited_fields = array(
        select distinct unnest(exif.edited_fields || source.edited_fields) order by 1)
    from asset_exif source where source.asset_id = ${sourceId} and exif.asset_id = ${targetId}
      and cardinality(source.edited_fields) > 0`);
  await db.execute(sql`
    insert into tag_asset (tag_id, asset_id)
    select tag_asset.tag_id, ${targetId}::uuid from tag_asset join tag on tag.id = tag_asset.tag_id
    where tag_asset.asset_id = ${sourceId} and tag.owner_id = ${pair.userId}
    on conflict do nothing`);
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

/** Answers the name of the file that nothing refers to any more. */
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
