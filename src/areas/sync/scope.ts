import { unscopedAssets } from '../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../access/albums.ts';
import { showsPlaceToAccount } from '../../access/places.ts';
import type { UserSession } from '../../access/session.ts';

// What the copy of an account may hold of the asset rows, as subqueries to be named "asset". They are
// asked again for every page: what is revoked while a stream runs is not sent any more.

/** Who keeps the copy, and since when `now` is: an elevation may end before the stream does. */
export type SyncOwner = Pick<UserSession, 'userId' | 'unlocked'> & {
  readonly sessionId: string;
  readonly now: Date;
};

const isElevated = ({ sessionId, now }: SyncOwner) => sql`exists (
  select from session where id = ${sessionId} and elevated_until > ${now.toISOString()}::timestamptz)`;

/** The account's own, whatever became of them; what is Locked only while the PIN is entered. */
export const selectOwnAssets = (owner: SyncOwner): SQL => sql`(
  select * from ${unscopedAssets} where asset.owner_id = ${owner.userId}
    and ${owner.unlocked ? sql`(locked_at is null or ${isElevated(owner)})` : sql`locked_at is null`})`;

/** What is Locked now: only its ids may leave, and only to take back what a copy was given before. */
export const selectLockedAssets = (userId: string): SQL => sql`(
  select * from ${unscopedAssets} where asset.owner_id = ${userId} and locked_at is not null)`;

/** Partnerships as they hold now: who was removed shares nothing, and sees nothing. */
export const PARTNERS: SQL = sql`(
  select partner.* from partner where not exists (select from app_user
    where app_user.id in (partner.sharer_id, partner.viewer_id)
      and app_user.deleted_at is not null))`;

/** The Timelines of those who share theirs now, with whether they show places. */
export const selectPartnerAssets = ({ userId }: SyncOwner): SQL => sql`(
  select asset.*, ${showsPlaceToAccount(userId)} as shows_place from ${unscopedAssets} where visibility = 'timeline' and locked_at is null and trashed_at is null
    and exists (select from ${PARTNERS} partner
      where partner.sharer_id = asset.owner_id and partner.viewer_id = ${userId}))`;

/** Those of them that one account has, in the order of its index. */
export const selectTimeline = (ownerId: SQL): SQL => sql`(
  select * from ${unscopedAssets} where asset.owner_id = ${ownerId}
    and visibility = 'timeline' and locked_at is null and trashed_at is null)`;

/**
 * The people of the account, without those who are known only from what is Locked while the PIN is not
 * entered. Who has no face at all was made by hand, or waits to be tidied away.
 */
export const selectPeople = (owner: SyncOwner): SQL => sql`(
  select * from person where person.owner_id = ${owner.userId} and person.merged_into is null and (
    (select true from face join ${selectOwnAssets(owner)} asset on asset.id = face.asset_id
      where face.person_id = person.id limit 1)
    or (select true from face where face.person_id = person.id limit 1) is null))`;

/** The face that stands for a "person", chosen or found; never one that is Locked. */
export const PORTRAIT: SQL = sql`(
  select face.id from face join ${unscopedAssets} on asset.id = face.asset_id
  where face.id in (person.cover_face_id, person.thumbnail_face_id)
    and face.person_id = person.id and not face.is_hidden and asset.locked_at is null
  order by (face.id = person.cover_face_id) is true desc limit 1)`;

/** Albums that may be opened now. */
export const selectAlbums = ({ userId }: SyncOwner): SQL => sql`(
  select * from album where album.owner_id = ${userId} or exists (select from album_user
    where album_user.album_id = album.id and album_user.user_id = ${userId})
    and ${HAS_ACTIVE_OWNER})`;

/** What those albums show, with the id of the album and whether they show places; once per album. */
export const selectAlbumAssets = (owner: SyncOwner): SQL => sql`(
  select asset.*, album_asset.album_id,
    asset.owner_id = ${owner.userId} or ${showsPlaceToAccount(owner.userId)} as shows_place
  from album_asset
  join ${unscopedAssets} on asset.id = album_asset.asset_id
  join ${selectAlbums(owner)} album on album.id = album_asset.album_id
  where asset.visibility in ('timeline', 'archive') and asset.locked_at is null
    and asset.trashed_at is null)`;

/**
 * The chosen cover where the album still shows it, else the newest item: which one is kept with the
 * counts of the album, and looked for only where those are in doubt.
 */
export const selectAlbumCover = (albumId: SQL, coverId: SQL): SQL => sql`(
  select coalesce(
    (select asset.id ${shownBy(albumId)} and asset.id = ${coverId}),
    case when sum.is_in_doubt
      then (select asset.id ${shownBy(albumId)}
        order by asset.local_taken_at desc, asset.id desc limit 1)
      else sum.last_id end)
  from album_sum sum where sum.album_id = ${albumId} and sum.assets > 0)`;

const shownBy = (albumId: SQL): SQL => sql`from album_asset
  join ${unscopedAssets} on asset.id = album_asset.asset_id
  where album_asset.album_id = ${albumId} and asset.visibility in ('timeline', 'archive')
    and asset.locked_at is null and asset.trashed_at is null`;
