import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import { isAlbumOpenTo, isOpenAlbum } from './albums.ts';
import type { Session } from './session.ts';

// An owner may hide from a partner where items were taken. What a partner may not see, albums and links
// that the partner creates hide from everybody.

/**
 * True when a row of "album_asset" shows the account the place of its "asset": no account from which the
 * owner hides places has added the asset, owns the album or has invited the account.
 */
export const memberShowsPlace = (accountId: string): SQL => sql`not exists (
  select from partner hiding where hiding.sharer_id = asset.owner_id and hiding.hides_places
    and (hiding.viewer_id = album_asset.added_by
      or hiding.viewer_id = (select album.owner_id from album where album.id = album_asset.album_id)
      or hiding.viewer_id = any(array(select unnest(invited_by) from album_user
        where album_user.album_id = album_asset.album_id
          and album_user.user_id = ${accountId}::uuid))))`;

/** True when an album that matches `isAmong` shows the place; for the video of a live photo, its still's. */
const isPlaceShownByAlbum = (accountId: string, isAmong: SQL): SQL => sql`exists (
  select from album_asset where ${memberShowsPlace(accountId)} and ${isAmong}
    and album_asset.asset_id = any(array(
      select asset.id union all select still.id from asset still where still.live_video_id = asset.id)))`;

/**
 * True when the session may know where a row named "asset" was taken. `isByAlbum` decides for owners who
 * are no partners of the account, whose items only albums show.
 */
export function showsPlace(
  session: Session,
  isByAlbum: SQL = isPlaceShownByAlbum(getAccountId(session), isOpenAlbum(session)),
): SQL {
  if (hidesAllPlaces(session)) return sql`false`;
  const accountId = getAccountId(session);
  const { sharers, placelessSharers } = session;
  const whenOwnedBy = (ids: readonly string[], answer: string): SQL =>
    ids.length === 0
      ? sql``
      : sql`when asset.owner_id = any(${uuids(ids)}) then ${sql.raw(answer)}`;
  return sql`(case when asset.owner_id = ${accountId}::uuid then true
    ${whenOwnedBy(placelessSharers, 'false')} ${whenOwnedBy(sharers, 'true')} else ${isByAlbum} end)`;
}

/** True for a guest to whom the link tells no place at all. */
export const hidesAllPlaces = (session: Session): boolean =>
  session.kind === 'sharedLink' && (session.hidesPlaces || !session.showMetadata);

/** Returns the account whose rights apply: that of a link is its owner. */
export const getAccountId = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;

/** Like showsPlace for an "asset" of another account, from the stored partnerships. */
export const showsPlaceToAccount = (userId: string): SQL => sql`coalesce(
  (select not hiding.hides_places from partner hiding
    where hiding.sharer_id = asset.owner_id and hiding.viewer_id = ${userId}::uuid),
  ${isPlaceShownByAlbum(userId, isAlbumOpenTo(userId))})`;
