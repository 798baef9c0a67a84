import { and, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import type { Session } from './session.ts';
import { uuids } from '../db/arrays.ts';

/**
 * Whether the owner of an "album" is there. The albums of an account that was removed are gone with it for
 * everybody, and come back with it.
 */
export const HAS_ACTIVE_OWNER: SQL = sql.raw(`exists (
  select from app_user owner where owner.id = album.owner_id and owner.deleted_at is null)`);

/** The ids of those without. Made once for a query, and nothing to read unless somebody is removed. */
const SUSPENDED = sql.raw(`select suspended.id from album suspended
  where suspended.owner_id = any(array(select id from app_user where deleted_at is not null))`);

/** The ids of the albums that the account may open, as owner or member. */
export const openAlbumIds = (userId: string): SQL => sql`
  select album_id from album_user
    where user_id = ${userId}::uuid and album_id not in (${SUSPENDED})
  union all select id from album where owner_id = ${userId}::uuid`;

/** Those of `ids` that the session may open: as owner or member, or through the link to the album. */
export async function openAlbumsAmong(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (session.kind === 'sharedLink') {
    return new Set(ids.filter((id) => id === session.albumId));
  }
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ id: string }>(sql`
    select id from album where id = any(${uuids(ids)})
      and (owner_id = ${session.userId} or exists (select 1 from album_user
        where album_user.album_id = album.id and album_user.user_id = ${session.userId})
        and ${HAS_ACTIVE_OWNER})`);
  return new Set(rows.map((row) => row.id));
}

export const mayOpenAlbum = async (db: Db, session: Session, id: string): Promise<boolean> =>
  (await openAlbumsAmong(db, session, [id])).has(id);

/** Whether the session may open the album of a row of "album_asset". */
export function isOpenAlbum(session: Session): SQL {
  if (session.kind === 'sharedLink') {
    return session.albumId ? sql`album_asset.album_id = ${session.albumId}::uuid` : sql`false`;
  }
  return isAlbumOf(session.userId);
}

/** Whether the account may, as owner or member. */
export const isAlbumOf = (userId: string): SQL =>
  sql`album_asset.album_id in (${openAlbumIds(userId)})`;

/**
 * Whether an album shows an asset, both named by columns: what albumMembers says of an account without
 * rules, here from two indexes alone. For those who look thousands up.
 */
export const isShownIn = (albumId: SQL, assetId: SQL): SQL => sql`(
  exists (select from album_asset member
    where member.album_id = ${albumId} and member.asset_id = ${assetId})
  and not exists (select from asset
    where asset.id = ${assetId} and (${OFF_SHELF})))`;

/** As the index of it says it. */
const OFF_SHELF = sql.raw(
  `asset.visibility = 'hidden' or asset.locked_at is not null or asset.trashed_at is not null`,
);

/**
 * Nobody else changes or deletes these assets before the transaction ends. Whoever changes what is in an
 * album asks this first: all writers wait for assets, then for albums, then for what links them. Answers
 * those that are still there.
 */
export async function holdAssets(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from asset where id = any(${uuids(ids)})
    order by id for no key update`);
  return new Set(rows.map((row) => row.id));
}

/** The same for those of them that are in the album; all that are when none are named. */
export async function holdMembers(db: Db, albumId: string, ids?: readonly string[]): Promise<void> {
  const named = ids ? sql`and asset_id = any(${uuids(ids)})` : sql``;
  await db.execute(sql`
    select 1 from asset where id = any(array(
      select asset_id from album_asset where album_id = ${albumId} ${named}))
    order by id for no key update`);
}

/** The members of an album in the order of their ids, also those that it does not show. */
export async function* memberPages(
  db: Db,
  albumId: string,
  size: number,
): AsyncGenerator<string[]> {
  let after: string | undefined;
  for (;;) {
    const rows = await db.execute<{ id: string }>(sql`
      select asset_id as id from album_asset
      where album_id = ${albumId}::uuid
        and ${after === undefined ? sql`true` : sql`asset_id > ${after}::uuid`}
      order by asset_id limit ${sql.raw(String(size))}`);
    if (rows.length > 0) yield rows.map((row) => row.id);
    if (rows.length < size) return;
    after = rows.at(-1)!.id;
  }
}

export type Withdrawal = {
  /** The owner of the items; any account when not given. */
  readonly ownerId?: string;
  /** The account that added them to the album; any account when not given. */
  readonly addedBy?: string;
  /** The only album that is looked at; all when not given. */
  readonly albumId?: string;
  /** Also from albums that the owner of the items is in. */
  readonly fromAll?: boolean;
};

/**
 * Takes items out of albums into which others than their owner have put them, where nothing allows that
 * any more: whoever put one in is no partner (any more), and the owner of the item is not in the album.
 * Called whenever either of the two ends, so that the order in which they end makes no difference.
 */
export async function withdrawUnshared(
  db: Db,
  { ownerId, addedBy, albumId, fromAll = false }: Withdrawal,
): Promise<void> {
  const isUnshared = and(
    sql`album_asset.added_by is distinct from asset.owner_id and album.owner_id <> asset.owner_id`,
    ownerId === undefined ? undefined : sql`asset.owner_id = ${ownerId}`,
    addedBy === undefined ? undefined : sql`album_asset.added_by = ${addedBy}`,
    albumId === undefined ? undefined : sql`album.id = ${albumId}`,
    sql`not exists (select from partner
      where sharer_id = asset.owner_id and viewer_id = album_asset.added_by)`,
    fromAll
      ? undefined
      : sql`not exists (select from album_user
          where album_user.album_id = album.id and album_user.user_id = asset.owner_id)`,
  );
  const found = await db.execute<{ id: string }>(sql`
    select distinct asset.id from album_asset join asset on asset.id = album_asset.asset_id
      join album on album.id = album_asset.album_id
    where ${isUnshared}`);
  if (found.length === 0) return;
  const ids = found.map(({ id }) => id);
  await holdAssets(db, ids);
  await db.execute(sql`
    delete from album_asset using asset, album
    where asset.id = album_asset.asset_id and album.id = album_asset.album_id
      and asset.id = any(${uuids(ids)}) and ${isUnshared}`);
}

/** The same for the links of one who is no partner any more. */
export async function withdrawFromLinks(
  db: Db,
  { ownerId, fromId }: { readonly ownerId: string; readonly fromId: string },
): Promise<void> {
  await db.execute(sql`
    delete from shared_link_asset using asset, shared_link
    where asset.id = shared_link_asset.asset_id and shared_link.id = shared_link_asset.link_id
      and asset.owner_id = ${ownerId} and shared_link.owner_id = ${fromId}`);
}
