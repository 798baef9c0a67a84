import { type SQL, sql } from 'drizzle-orm';
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
export const selectOpenAlbumIds = (userId: string): SQL => sql`
  select album_id from album_user
    where user_id = ${userId}::uuid and album_id not in (${SUSPENDED})
  union all select id from album where owner_id = ${userId}::uuid`;

/** Those of `ids` that the session may open: as owner or member, or through the link to the album. */
export async function filterOpenAlbums(
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

export const canOpenAlbum = async (db: Db, session: Session, id: string): Promise<boolean> =>
  (await filterOpenAlbums(db, session, [id])).has(id);

/** Whether the session may open the album of a row of "album_asset". */
export function isOpenAlbum(session: Session): SQL {
  if (session.kind === 'sharedLink') {
    return session.albumId ? sql`album_asset.album_id = ${session.albumId}::uuid` : sql`false`;
  }
  return isAlbumOpenTo(session.userId);
}

/** Whether the account may, as owner or member. */
export const isAlbumOpenTo = (userId: string): SQL =>
  sql`album_asset.album_id in (${selectOpenAlbumIds(userId)})`;

/**
 * Whether an album shows an asset, both named by columns: what albumMembers says of an account without
 * rules, here from two indexes alone. For those who look thousands up.
 */
export const isShownInAlbum = (albumId: SQL, assetId: SQL): SQL => sql`(
  exists (select from album_asset member
    where member.album_id = ${albumId} and member.asset_id = ${assetId})
  and not exists (select from asset
    where asset.id = ${assetId} and (${OFF_SHELF})))`;

/** As the index of it says it. */
const OFF_SHELF = sql.raw(
  `asset.visibility = 'hidden' or asset.locked_at is not null or asset.trashed_at is not null`,
);
