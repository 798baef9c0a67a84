import { scopeSource } from '../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { HAS_ACTIVE_OWNER } from '../../access/albums.ts';
import { showsPlaceToAccount } from '../../access/places.ts';
import type { UserSession } from '../../access/session.ts';
import { isWanted, showsNobodyUnwanted } from '../memories/index.ts';

// Rows that the copy of an account may hold, as subqueries to be named "asset". Every page evaluates them
// again, so that nothing is sent after access to it has been revoked.

/** Owner of a copy, as of `now`: an elevation may end before the stream does. */
export type SyncOwner = Pick<UserSession, 'userId' | 'unlocked'> & {
  readonly sessionId: string;
  readonly now: Date;
  /** Shares that began in this transaction or later are left to the next stream, which sends all of them. */
  readonly watermark: bigint;
};

/**
 * Whether others share since before the stream. Sharing may end and begin again while it runs: without this, it would
 * send rows whose assets it has left out in between, and not say that the sharing has ended.
 */
export const isSharedSinceBefore = ({ watermark }: SyncOwner, since: SQL): SQL =>
  sql`${since} < ${String(watermark)}::xid8`;

const isElevated = ({ sessionId, now }: SyncOwner) => sql`exists (
  select from session where id = ${sessionId} and elevated_until > ${now.toISOString()}::timestamptz)`;

/** Selects own assets in any state; Locked ones only while the session is elevated. */
export const selectOwnAssets = (owner: SyncOwner): SQL => sql`(
  select * from ${scopeSource} where asset.owner_id = ${owner.userId}
    and ${owner.unlocked ? sql`(locked_at is null or ${isElevated(owner)})` : sql`locked_at is null`})`;

/** Selects Locked assets. Send their content to elevated sessions only; their ids to remove them from a copy. */
export const selectLockedAssets = (userId: string): SQL => sql`(
  select * from ${scopeSource} where asset.owner_id = ${userId} and locked_at is not null)`;

/** Partnerships between accounts that are not removed. */
export const PARTNERS: SQL = sql`(
  select partner.* from partner where not exists (select from app_user
    where app_user.id in (partner.sharer_id, partner.viewer_id)
      and app_user.deleted_at is not null))`;

/** Selects the Timelines of partners, with `shows_place`. */
export const selectPartnerAssets = (owner: SyncOwner): SQL => sql`(
  select asset.*, ${showsPlaceToAccount(owner.userId)} as shows_place from ${scopeSource} where visibility = 'timeline' and locked_at is null and trashed_at is null
    and exists (select from ${PARTNERS} partner
      where partner.sharer_id = asset.owner_id and partner.viewer_id = ${owner.userId}
        and ${isSharedSinceBefore(owner, sql`partner.since`)}
        and (partner.shared_from is null or asset.local_taken_at >= partner.shared_from)))`;

/** Selects the Timeline of one account. */
export const selectTimeline = (ownerId: SQL): SQL => sql`(
  select * from ${scopeSource} where asset.owner_id = ${ownerId}
    and visibility = 'timeline' and locked_at is null and trashed_at is null)`;

/**
 * Selects the people of the account; without elevation, not those who appear on Locked items only. People
 * without faces were created by hand.
 */
export const selectPeople = (owner: SyncOwner): SQL => sql`(
  select * from person where person.owner_id = ${owner.userId} and person.merged_into is null and (
    (select true from face join ${selectOwnAssets(owner)} asset on asset.id = face.asset_id
      where face.person_id = person.id limit 1)
    or (select true from face where face.person_id = person.id limit 1) is null))`;

/** The chosen or selected cover face of "person"; never one on a Locked item. */
export const PORTRAIT: SQL = sql`(
  select face.id from face join ${scopeSource} on asset.id = face.asset_id
  where face.id in (person.cover_face_id, person.thumbnail_face_id)
    and face.person_id = person.id and not face.is_hidden and asset.locked_at is null
  order by (face.id = person.cover_face_id) is true desc limit 1)`;

/** Selects the albums that the account may open. */
export const selectAlbums = (owner: SyncOwner): SQL => selectAlbumsBy(owner, sql`true`);

/** Selects those whose content the stream may send. */
export const selectFilledAlbums = (owner: SyncOwner): SQL =>
  selectAlbumsBy(owner, isSharedSinceBefore(owner, sql`album_user.since`));

const selectAlbumsBy = ({ userId }: SyncOwner, membership: SQL): SQL => sql`(
  select * from album where album.owner_id = ${userId} or exists (select from album_user
    where album_user.album_id = album.id and album_user.user_id = ${userId} and ${membership})
    and ${HAS_ACTIVE_OWNER})`;

/** Selects the assets of those albums, one row per album and asset, with `album_id` and `shows_place`. */
export const selectAlbumAssets = (owner: SyncOwner): SQL => sql`(
  select asset.*, album_asset.album_id,
    asset.owner_id = ${owner.userId} or ${showsPlaceToAccount(owner.userId)} as shows_place
  from album_asset
  join ${scopeSource} on asset.id = album_asset.asset_id
  join ${selectFilledAlbums(owner)} album on album.id = album_asset.album_id
  where asset.visibility in ('timeline', 'archive') and asset.locked_at is null
    and asset.trashed_at is null)`;

/**
 * Selects the chosen cover if the album still shows it, else the newest item. The newest item is stored with
 * the counts of the album, and searched for only when those are in doubt.
 */
export const selectAlbumCover = (albumId: SQL, coverId: SQL): SQL => sql`(
  select coalesce(
    (select asset.id ${fromAlbum(albumId)} and asset.id = ${coverId}),
    case when sum.is_in_doubt
      then (select asset.id ${fromAlbum(albumId)}
        order by asset.local_taken_at desc, asset.id desc limit 1)
      else sum.last_id end)
  from album_sum sum where sum.album_id = ${albumId} and sum.assets > 0)`;

const fromAlbum = (albumId: SQL): SQL => sql`from album_asset
  join ${scopeSource} on asset.id = album_asset.asset_id
  where album_asset.album_id = ${albumId} and asset.visibility in ('timeline', 'archive')
    and asset.locked_at is null and asset.trashed_at is null`;

/** Selects the memories that copies hold: the app of Immich fails on any other type. */
const selectDayMemories = ({ userId }: SyncOwner): SQL => sql`(
  select * from memory where memory.owner_id = ${userId} and memory.type = 'on_this_day'
    and memory.deleted_at is null and not memory.is_hidden
    and ${isWanted(userId, sql`null::uuid`)})`;

/** Selects the assets of those memories, with `memory_id`; never Locked ones, in no session. */
export const selectMemoryAssets = (owner: SyncOwner): SQL => sql`(
  select asset.id, memory.id as memory_id from ${selectDayMemories(owner)} memory
  join memory_asset on memory_asset.memory_id = memory.id
  join ${scopeSource} on asset.id = memory_asset.asset_id
  where asset.owner_id = ${owner.userId} and asset.locked_at is null
    and ${showsNobodyUnwanted(owner.userId)})`;

/** Selects those of the memories that have such an asset. */
export const selectMemories = (owner: SyncOwner): SQL => sql`(
  select memory.* from ${selectDayMemories(owner)} memory
  where exists (select from ${selectMemoryAssets(owner)} asset
    where asset.memory_id = memory.id))`;
