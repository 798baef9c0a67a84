import { and, sql } from 'drizzle-orm';
import { checkedAssets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/**
 * Locks the assets until the transaction ends and returns the ids that still exist. Call it before changing
 * the content of albums: all writers lock assets, then albums, then the rows that link them.
 */
export async function lockAssets(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${checkedAssets} where id = any(${uuids(ids)})
    order by id for no key update`,
  );
  return new Set(rows.map((row) => row.id));
}

/** Locks those of the assets that are in the album; without `ids` all its assets. */
export async function lockAlbumAssets(
  db: Db,
  albumId: string,
  ids?: readonly string[],
): Promise<void> {
  const named = ids ? sql`and asset_id = any(${uuids(ids)})` : sql``;
  await queryRows(
    db,
    sql`
    select 1 from ${checkedAssets} where id = any(array(
      select asset_id from album_asset where album_id = ${albumId} ${named}))
    order by id for no key update`,
  );
}

/** Yields the asset ids of an album in pages, by id, including items that it does not show. */
export async function* listAlbumAssetPages(
  db: Db,
  albumId: string,
  size: number,
): AsyncGenerator<string[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await queryRows(
      db,
      { id: column.uuid },
      sql`
      select asset_id as id from album_asset
      where album_id = ${albumId}::uuid
        and ${after === undefined ? sql`true` : sql`asset_id > ${after}::uuid`}
      order by asset_id limit ${sql.raw(String(size))}`,
    );
    if (rows.length > 0) yield rows.map((row) => row.id);
    if (rows.length < size) return;
    after = rows.at(-1)?.id;
  }
}

export type PartnerAssetFilter = {
  /** Owner of the items; undefined: any. */
  readonly ownerId?: string;
  /** Account that added them; undefined: any. */
  readonly addedBy?: string;
  /** Undefined: all albums. */
  readonly albumId?: string;
  /** Includes albums of which the owner of the items is a member. */
  readonly evenIfOwnerIsMember?: boolean;
};

/**
 * Removes items from albums to which another account has added them, unless their owner shares them with that
 * account or is in the album. Call it whenever a partnership or a membership ends, or less is shared: the order
 * in which they end makes no difference.
 */
export async function removePartnerAssetsFromAlbums(
  db: Db,
  { ownerId, addedBy, albumId, evenIfOwnerIsMember: fromAll = false }: PartnerAssetFilter,
): Promise<void> {
  const isUnshared = and(
    sql`album_asset.added_by is distinct from ${checkedAssets}.owner_id and album.owner_id <> asset.owner_id`,
    ownerId === undefined ? undefined : sql`asset.owner_id = ${ownerId}`,
    addedBy === undefined ? undefined : sql`album_asset.added_by = ${addedBy}`,
    albumId === undefined ? undefined : sql`album.id = ${albumId}`,
    sql`not exists (select from partner
      where sharer_id = asset.owner_id and viewer_id = album_asset.added_by
        and (shared_from is null or asset.local_taken_at >= shared_from))`,
    fromAll
      ? undefined
      : sql`not exists (select from album_user
          where album_user.album_id = album.id and album_user.user_id = asset.owner_id)`,
  );
  const found = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select distinct asset.id from album_asset join ${checkedAssets} on asset.id = album_asset.asset_id
      join album on album.id = album_asset.album_id
    where ${isUnshared}`,
  );
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await lockAssets(db, ids);
  await queryRows(
    db,
    sql`
    delete from album_asset using ${checkedAssets}, album
    where asset.id = album_asset.asset_id and album.id = album_asset.album_id
      and asset.id = any(${uuids(ids)}) and ${isUnshared}`,
  );
}

/** Removes items of `ownerId` from the shared links of a former partner. */
export async function removePartnerAssetsFromLinks(
  db: Db,
  { ownerId, fromId }: { readonly ownerId: string; readonly fromId: string },
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from shared_link_asset using ${checkedAssets}, shared_link
    where asset.id = shared_link_asset.asset_id and shared_link.id = shared_link_asset.link_id
      and asset.owner_id = ${ownerId} and shared_link.owner_id = ${fromId}`,
  );
}
