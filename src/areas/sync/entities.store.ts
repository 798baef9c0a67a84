import { type SQL, sql } from 'drizzle-orm';
import {
  selectAlbumAssets,
  selectAlbums,
  selectFilledAlbums,
  isSharedSinceBefore,
  type SyncOwner,
  selectAlbumCover,
  selectMemories,
  selectMemoryAssets,
  selectOwnAssets,
  selectPartnerAssets,
  PARTNERS,
  selectPeople,
  PORTRAIT,
} from './scope.ts';
import type { AlbumRow } from '../../db/tables/albums.ts';
import { IS_EDITED } from '../../access/edited.ts';
import { STACK_PRIMARY } from '../stack-members/index.ts';
import type { Entity, Source } from './page.store.ts';

// The wire format of each entity: its columns are the members of its JSON, instants in UTC.

const BY_SUBJECT = sql`row(page.scope_id, page.subject_id)`;
const BY_PART = sql`row(page.scope_id, page.subject_id, page.kind, page.other_id, page.key)`;

/** Immich's app keeps one asset per owner and checksum: a duplicate gets a unique checksum. */
const CHECKSUM = sql`case when asset.is_copy
  then substring(sha256(uuid_send(asset.id)) from 1 for 20) else asset.sha1 end`;

/**
 * Formats a time of capture. If the place is hidden, it is the local time written as UTC: the offset between
 * both would reveal the time zone.
 */
const toCaptureTime = (instant: SQL, isShared: boolean): SQL =>
  isShared
    ? sql`${instant} at time zone 'utc' + case when asset.shows_place then interval '0'
        else asset.local_taken_at - asset.taken_at at time zone 'utc' end`
    : instant;

/** Favorites are shown to the owner only, stacks to the owner and partners. */
const assetData = ({ userId }: SyncOwner, isShared: boolean): SQL =>
  sql`
    asset.id, asset.owner_id as "ownerId", asset.file_name as "originalFileName",
    encode(asset.thumbhash, 'base64') as thumbhash, encode(${CHECKSUM}, 'base64') as checksum,
    asset.created_at as "createdAt",
    ${toCaptureTime(sql`asset.taken_at`, isShared)} as "fileCreatedAt",
    ${toCaptureTime(sql`asset.file_modified_at`, isShared)} as "fileModifiedAt",
    asset.local_taken_at as "localDateTime", asset.duration_ms as duration,
    asset.type, asset.trashed_at as "deletedAt",
    asset.is_favorite and asset.owner_id = ${userId} as "isFavorite",
    case when asset.locked_at is null then asset.visibility else 'locked' end as visibility,
    asset.live_video_id as "livePhotoVideoId",
    case when asset.owner_id = ${userId} or exists (select from ${PARTNERS} partner
      where partner.sharer_id = asset.owner_id and partner.viewer_id = ${userId})
      then asset.stack_id end as "stackId",
    null as "libraryId", asset.width, asset.height,
    ${IS_EDITED} as "isEdited"`;

/** `isShared`: of another account, which may hide the place. */
function exifData(isShared: boolean): SQL {
  const place = (column: string) =>
    sql.raw(isShared ? `case when asset.shows_place then exif.${column} end` : `exif.${column}`);
  return sql`
    exif.asset_id as "assetId", exif.description, exif.exif_width as "exifImageWidth",
    exif.exif_height as "exifImageHeight", asset.file_size as "fileSizeInByte", exif.orientation,
    ${toCaptureTime(sql`exif.date_time_original`, isShared)} as "dateTimeOriginal",
    ${toCaptureTime(sql`exif.modify_date`, isShared)} as "modifyDate", ${place('time_zone')} as "timeZone",
    ${place('latitude')} as latitude, ${place('longitude')} as longitude,
    exif.projection_type as "projectionType", ${place('city')} as city, ${place('state')} as state,
    ${place('country')} as country, exif.make, exif.model, exif.lens_model as "lensModel",
    exif.f_number as "fNumber", exif.focal_length as "focalLength", exif.iso,
    exif.exposure_time as "exposureTime", exif.profile_description as "profileDescription",
    nullif(greatest(exif.rating, 0), 0) as rating, exif.fps`;
}

const editData: SQL = sql`
  edit_id(edit.asset_id, edit."position") as id, edit.asset_id as "assetId", edit.action,
  edit.parameters, edit."position" as sequence`;

const personData = sql`
  person.id, person.owner_id as "ownerId", person.name,
  to_char(person.birth_date, 'YYYY-MM-DD"T00:00:00.000Z"') as "birthDate",
  person.is_hidden as "isHidden", person.is_favorite as "isFavorite", person.color,
  ${PORTRAIT} as "faceAssetId", person.created_at as "createdAt",
  person.updated_at as "updatedAt"`;

/** Edge of a face in pixels, clamped to the edited picture, at least one pixel long. */
const toEdge = (side: 'x' | 'y', of: 'width' | 'height') => {
  const [low, high, size] = [`face.${side}1`, `face.${side}2`, `face.image_${of}`];
  const within = (part: string) => `floor(least(1, greatest(0, ${part})) * ${size} + 0.5)`;
  const first = `least(${within(low)}, ${size} - 1)`;
  return {
    first: sql.raw(`${first}::int`),
    last: sql.raw(`greatest(${within(high)}, ${first} + 1)::int`),
  };
};
const [ACROSS, DOWN] = [toEdge('x', 'width'), toEdge('y', 'height')];

/** A face whose centre is cut off is sent as not visible. */
const faceData = sql`
  face.id, face.asset_id as "assetId", face.person_id as "personId",
  face.image_width as "imageWidth", face.image_height as "imageHeight",
  ${ACROSS.first} as "boundingBoxX1", ${DOWN.first} as "boundingBoxY1",
  ${ACROSS.last} as "boundingBoxX2", ${DOWN.last} as "boundingBoxY2",
  face.source as "sourceType", not face.is_hidden and face.x1 + face.x2 between 0 and 2
    and face.y1 + face.y2 between 0 and 2 as "isVisible", null as "deletedAt"`;

/** Recognised line with the owner's correction. Dismissed and vanished lines are sent as not visible. */
const ocrData = sql`
  line.id, line.asset_id as "assetId", coalesce(edit.text, line.text) as text,
  line.score as "textScore", line.box_score as "boxScore",
  line.quad[1] as x1, line.quad[2] as y1, line.quad[3] as x2, line.quad[4] as y2,
  line.quad[5] as x3, line.quad[6] as y3, line.quad[7] as x4, line.quad[8] as y4,
  line.is_read and edit.action is distinct from 'dismiss' as "isVisible"`;

const stackData = sql`
  stack.id, stack.owner_id as "ownerId", asset.id as "primaryAssetId",
  stack.created_at as "createdAt", stack.updated_at as "updatedAt"`;

const memoryData = sql`
  memory.id, memory.owner_id as "ownerId", memory.type, memory.data,
  memory.is_saved as "isSaved", memory.memory_at as "memoryAt",
  memory.show_at as "showAt", memory.hide_at as "hideAt",
  memory.seen_at as "seenAt", memory.created_at as "createdAt",
  memory.updated_at as "updatedAt", null as "deletedAt"`;

const userData = sql`
  app_user.id, app_user.name, app_user.email, app_user.avatar_color as "avatarColor",
  app_user.profile_image is not null as "hasProfileImage",
  app_user.profile_changed_at as "profileChangedAt",
  app_user.deleted_at as "deletedAt"`;

/** The SQL of each album column that phones are sent, or undefined. A new column does not compile until it is listed. */
const ALBUM: Readonly<Record<keyof AlbumRow, SQL | undefined>> = {
  id: sql`album.id`,
  ownerId: undefined,
  name: sql`album.name`,
  description: sql`album.description`,
  createdAt: sql`album.created_at as "createdAt"`,
  updatedAt: sql`album.updated_at as "updatedAt"`,
  isActivityEnabled: sql`album.is_activity_enabled as "isActivityEnabled"`,
  sortOrder: sql`album.sort_order as "order"`,
  coverId: sql`${selectAlbumCover(sql`album.id`, sql`album.cover_id`)} as "thumbnailAssetId"`,
  since: undefined,
};

const albumData = (withOwner: boolean): SQL => {
  const columns = withOwner ? { ...ALBUM, ownerId: sql`album.owner_id as "ownerId"` } : ALBUM;
  return sql.join(
    Object.values(columns).filter((column) => column !== undefined),
    sql`, `,
  );
};

const partnerAsset = (owner: SyncOwner) => sql`${selectPartnerAssets(owner)} asset`;
const albumAsset = (owner: SyncOwner) => sql`${selectAlbumAssets(owner)} asset`;
const OF_ALBUM = sql`asset.album_id = n.scope_id and asset.id = n.subject_id`;
const JOIN_EXIF = sql`join asset_exif exif on exif.asset_id = asset.id`;

/**
 * Returns the queries of all entities, restricted to what the account may see now. Rows of a page that has the
 * assets are not looked up again. It is one table, with a line for each entity.
 */
export const getEntities = (owner: SyncOwner, { hasAssets = false }: Partial<Source> = {}) => {
  const ownAsset = sql`${hasAssets ? sql`(select n.*)` : selectOwnAssets(owner)} asset`;
  const one = (columns: SQL, from: SQL, identity = BY_SUBJECT): Entity => ({
    columns,
    from,
    identity,
  });
  const many = (columns: SQL, from: SQL): Entity => one(columns, from, BY_PART);
  const album = (withOwner: boolean, albums = selectAlbums(owner)): Entity => ({
    columns: albumData(withOwner),
    // A row in the account's scope names the album; a row in an album's scope belongs to that album.
    from: sql`from ${albums} album
      where album.id = case when n.scope_id = ${owner.userId} then n.subject_id else n.scope_id end`,
    identity: sql`case when page.scope_id = ${owner.userId} then page.subject_id else page.scope_id end`,
  });
  return {
    user: one(userData, sql`from app_user where app_user.id = n.subject_id`),
    partner: one(
      sql`partner.sharer_id as "sharedById", partner.viewer_id as "sharedWithId",
        partner.in_timeline as "inTimeline"`,
      sql`from ${PARTNERS} partner
        where partner.sharer_id = n.subject_id and partner.viewer_id = n.other_id
          and ${isSharedSinceBefore(owner, sql`partner.since`)}`,
      sql`row(page.subject_id, page.other_id)`,
    ),
    asset: one(assetData(owner, false), sql`from ${ownAsset} where asset.id = n.subject_id`),
    exif: one(exifData(false), sql`from ${ownAsset} ${JOIN_EXIF} where asset.id = n.subject_id`),
    metadata: many(
      sql`info.asset_id as "assetId", info.key, info.value`,
      sql`from ${ownAsset} join asset_metadata info on info.asset_id = asset.id
        where asset.id = n.subject_id and (n.key is null or info.key = n.key)`,
    ),
    edit: many(
      editData,
      sql`from ${ownAsset} join asset_edit edit on edit.asset_id = asset.id
        where asset.id = n.subject_id
          and (n.other_id is null or edit_id(edit.asset_id, edit."position") = n.other_id)`,
    ),
    stack: one(
      stackData,
      sql`from stack join ${ownAsset} on asset.id = ${STACK_PRIMARY}
        where stack.id = n.subject_id`,
    ),
    person: one(personData, sql`from ${selectPeople(owner)} person where person.id = n.subject_id`),
    memory: one(
      memoryData,
      sql`from ${selectMemories(owner)} memory where memory.id = n.subject_id`,
    ),
    memoryAsset: one(
      sql`asset.memory_id as "memoryId", asset.id as "assetId"`,
      sql`from ${selectMemoryAssets(owner)} asset
        where asset.memory_id = n.subject_id and asset.id = n.other_id`,
      sql`row(page.subject_id, page.other_id)`,
    ),
    face: many(
      faceData,
      sql`from ${ownAsset} join face on face.asset_id = asset.id
        where asset.id = n.subject_id and (n.other_id is null or face.id = n.other_id)`,
    ),
    ocr: many(
      ocrData,
      sql`from ${ownAsset} join document_line line on line.asset_id = asset.id
        left join document_edit edit on edit.asset_id = line.asset_id and edit.line = line.line
        where asset.id = n.subject_id and (n.other_id is null or line.id = n.other_id)`,
    ),
    partnerAsset: one(
      assetData(owner, true),
      sql`from ${partnerAsset(owner)} where asset.id = n.subject_id`,
    ),
    // In any way that somebody else's asset is shown to the account. The ids are compared inside, so that each
    // is looked up by itself: all assets of partners and albums would be read otherwise.
    sharedAsset: one(
      sql`asset.id`,
      sql`from (
        select asset.id from ${partnerAsset(owner)} where asset.id = n.subject_id
        union all
        select asset.id from ${albumAsset(owner)} where asset.id = n.subject_id) asset`,
      sql`page.subject_id`,
    ),
    partnerExif: one(
      exifData(true),
      sql`from ${partnerAsset(owner)} ${JOIN_EXIF} where asset.id = n.subject_id`,
    ),
    partnerStack: one(
      stackData,
      sql`from stack join ${partnerAsset(owner)} on asset.id = ${STACK_PRIMARY}
        where stack.id = n.subject_id`,
      sql`page.subject_id`,
    ),
    album: album(false),
    albumWithOwner: album(true),
    filledAlbum: album(false, selectFilledAlbums(owner)),
    albumUser: one(
      sql`member.album_id as "albumId", member.user_id as "userId", member.role`,
      sql`from (
          select album_id, user_id, role from album_user
          union all select id, owner_id, 'owner' from album) member
        join ${selectFilledAlbums(owner)} album on album.id = member.album_id
        where member.album_id = n.scope_id and member.user_id = n.subject_id`,
    ),
    albumContent: one(assetData(owner, true), sql`from ${albumAsset(owner)} where ${OF_ALBUM}`),
    albumExif: one(exifData(true), sql`from ${albumAsset(owner)} ${JOIN_EXIF} where ${OF_ALBUM}`),
    albumAsset: one(
      sql`asset.album_id as "albumId", asset.id as "assetId"`,
      sql`from ${albumAsset(owner)} where ${OF_ALBUM}`,
    ),
  };
};
export type Entities = ReturnType<typeof getEntities>;

/** The members of removal lines: ids only. */
export const REMOVED_DATA = {
  user: sql`n.subject_id as "userId"`,
  partner: sql`n.subject_id as "sharedById", n.other_id as "sharedWithId"`,
  asset: sql`n.subject_id as "assetId"`,
  metadata: sql`n.subject_id as "assetId", n.key as "key"`,
  edit: sql`n.other_id as "editId"`,
  ocr: sql`n.subject_id as "assetId", n.other_id as "id", now() as "deletedAt"`,
  person: sql`n.subject_id as "personId"`,
  face: sql`n.other_id as "assetFaceId"`,
  memory: sql`n.subject_id as "memoryId"`,
  memoryAsset: sql`n.subject_id as "memoryId", n.other_id as "assetId"`,
  stack: sql`n.subject_id as "stackId"`,
  album: sql`n.subject_id as "albumId"`,
  albumUser: sql`n.scope_id as "albumId", n.subject_id as "userId"`,
  albumAsset: sql`n.scope_id as "albumId", n.subject_id as "assetId"`,
};
