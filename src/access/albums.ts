import { type SQL, sql } from 'drizzle-orm';
import type { Ctx } from '../core/context.ts';
import { noAccess } from '../core/errors.ts';
import type { Db } from '../db/client.ts';
import type { Session } from './session.ts';
import { uuids } from '../db/arrays.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

/** True when the owner of "album" is not removed: albums of a removed account are hidden until it is restored. */
export const HAS_ACTIVE_OWNER: SQL = sql.raw(`exists (
  select from app_user owner where owner.id = album.owner_id and owner.deleted_at is null)`);

/** Computed once per query; reads no album unless an account is removed. */
const ALBUMS_OF_REMOVED_OWNERS = sql.raw(`select suspended.id from album suspended
  where suspended.owner_id = any(array(select id from app_user where deleted_at is not null))`);

/** Selects the ids of the albums that the account may open, as owner or member. */
export const selectOpenAlbumIds = (userId: string): SQL => sql`
  select album_id from album_user
    where user_id = ${userId}::uuid and album_id not in (${ALBUMS_OF_REMOVED_OWNERS})
  union all select id from album where owner_id = ${userId}::uuid`;

/** Returns the subset of `ids` that the session may open: as owner, member or through the album's link. */
export async function filterOpenAlbums(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (session.kind === 'sharedLink') {
    return new Set(ids.filter((id) => id === session.albumId));
  }
  if (ids.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from album where id = any(${uuids(ids)})
      and (owner_id = ${session.userId} or exists (select 1 from album_user
        where album_user.album_id = album.id and album_user.user_id = ${session.userId})
        and ${HAS_ACTIVE_OWNER})`,
  );
  return new Set(rows.map((row) => row.id));
}

export const canOpenAlbum = async (db: Db, session: Session, id: string): Promise<boolean> =>
  (await filterOpenAlbums(db, session, [id])).has(id);

/** Returns the id in lower case. Throws 400 without access to the album. */
export async function requireOpenAlbum({ db, session }: Ctx, id: string): Promise<string> {
  const albumId = id.toLowerCase();
  if (!(await canOpenAlbum(db, session, albumId))) throw noAccess('album.read');
  return albumId;
}

/** True when the session may open the album of a row of "album_asset". */
export function isOpenAlbum(session: Session): SQL {
  if (session.kind === 'sharedLink') {
    return session.albumId ? sql`album_asset.album_id = ${session.albumId}::uuid` : sql`false`;
  }
  return isAlbumOpenTo(session.userId);
}

/** True when the account may open it as owner or member. */
export const isAlbumOpenTo = (userId: string): SQL =>
  sql`album_asset.album_id in (${selectOpenAlbumIds(userId)})`;

/**
 * True when an album shows an asset, both given as columns: like `albumMembers` without content rules,
 * from two indexes only, for lookups by the thousand.
 */
export const isShownInAlbum = (albumId: SQL, assetId: SQL): SQL => sql`(
  exists (select from album_asset member
    where member.album_id = ${albumId} and member.asset_id = ${assetId})
  and not exists (select from asset
    where asset.id = ${assetId} and (${IS_NOT_LISTED})))`;

/** Must equal the condition of the partial index. */
const IS_NOT_LISTED = sql.raw(
  `asset.visibility = 'hidden' or asset.locked_at is not null or asset.trashed_at is not null`,
);
