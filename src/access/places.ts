import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import { isAlbumOpenTo, isOpenAlbum } from './albums.ts';
import type { Session } from './session.ts';

// Where a picture was taken: whom its owner tells. An owner may hide it from a partner. What an account
// may not see, nothing that it makes can show: its links and its albums hide it from everybody, too.

/**
 * Whether a row of "album_asset" tells an account where its "asset" was taken: nobody from whom the owner
 * of the asset hides places has put it in, owns the album or has let the account in.
 */
export const memberShowsPlace = (accountId: string): SQL => sql`not exists (
  select from partner hiding where hiding.sharer_id = asset.owner_id and hiding.hides_places
    and (hiding.viewer_id = album_asset.added_by
      or hiding.viewer_id = (select album.owner_id from album where album.id = album_asset.album_id)
      or hiding.viewer_id = any(array(select unnest(invited_by) from album_user
        where album_user.album_id = album_asset.album_id
          and album_user.user_id = ${accountId}::uuid))))`;

/** An album among these, of rows of "album_asset", does so; of a live photo's video, by its still. */
const isShownByAlbum = (accountId: string, isAmong: SQL): SQL => sql`exists (
  select from album_asset where ${memberShowsPlace(accountId)} and ${isAmong}
    and album_asset.asset_id = any(array(
      select asset.id union all select still.id from asset still where still.live_video_id = asset.id)))`;

/**
 * Whether the session may know where a row named "asset" was taken. `isByAlbum` is asked where the owner
 * neither shares with nor hides from the account: then an album has shown the asset.
 */
export function showsPlace(
  session: Session,
  isByAlbum: SQL = isShownByAlbum(accountOf(session), isOpenAlbum(session)),
): SQL {
  if (session.kind === 'sharedLink' && !session.showMetadata) return sql`false`;
  const accountId = accountOf(session);
  const { sharers, placelessSharers } = session;
  const among = (ids: readonly string[], answer: string): SQL =>
    ids.length === 0
      ? sql``
      : sql`when asset.owner_id = any(${uuids(ids)}) then ${sql.raw(answer)}`;
  return sql`(case when asset.owner_id = ${accountId}::uuid then true
    ${among(placelessSharers, 'false')} ${among(sharers, 'true')} else ${isByAlbum} end)`;
}

/** A link knows what its owner knows. */
export const accountOf = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;

/** The same of somebody else's "asset" for an account, by what holds now. */
export const showsPlaceTo = (userId: string): SQL => sql`coalesce(
  (select not hiding.hides_places from partner hiding
    where hiding.sharer_id = asset.owner_id and hiding.viewer_id = ${userId}::uuid),
  ${isShownByAlbum(userId, isAlbumOpenTo(userId))})`;
