import { type SQL, sql } from 'drizzle-orm';
import {
  selectAlbumAssets,
  selectAlbums,
  type SyncOwner,
  selectAlbumCover,
  selectOwnAssets,
  selectPartnerAssets,
  PARTNERS,
  selectPeople,
  PORTRAIT,
} from './scope.ts';
import { STACK_PRIMARY } from '../stacks/members/index.ts';
import type { Entity } from './page.store.ts';

// How each thing of a copy reads on the wire. Written as text by the database: a first sync is half a
// million lines, and nothing here looks at them.

const iso = (instant: SQL) =>
  sql`to_char(${instant} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const local = (clock: SQL) => sql`to_char(${clock}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const json = (columns: SQL) =>
  sql`(select row_to_json(shown_row) from (select ${columns}) shown_row)::text`;

const BY_SUBJECT = sql`row(page.scope_id, page.subject_id)`;
const BY_PART = sql`row(page.scope_id, page.subject_id, page.kind, page.other_id, page.key)`;

/** Immich's app keeps one asset per owner and checksum: a copy gets one that nothing else has. */
const CHECKSUM = sql`case when asset.is_copy
  then substring(sha256(uuid_send(asset.id)) from 1 for 20) else asset.sha1 end`;

/**
 * An instant of a capture. Where the place is not shown, it is what the clock showed, written as if it
 * were UTC: the distance between the two would tell the time zone.
 */
const capture = (instant: SQL, isShared: boolean): SQL =>
  isShared
    ? sql`case when asset.shows_place then ${iso(instant)} else ${local(sql`${instant} at time zone 'utc'
        + (asset.local_taken_at - asset.taken_at at time zone 'utc')`)} end`
    : iso(instant);

/** Favorites are the owner's own business, and stacks that of those who see them. */
const assetData = ({ userId }: SyncOwner, isShared: boolean): SQL =>
  json(sql`
    asset.id, asset.owner_id as "ownerId", asset.file_name as "originalFileName",
    encode(asset.thumbhash, 'base64') as thumbhash, encode(${CHECKSUM}, 'base64') as checksum,
    ${iso(sql`asset.created_at`)} as "createdAt",
    ${capture(sql`asset.taken_at`, isShared)} as "fileCreatedAt",
    ${capture(sql`asset.file_modified_at`, isShared)} as "fileModifiedAt",
    ${local(sql`asset.local_taken_at`)} as "localDateTime", asset.duration_ms as duration,
    asset.type, ${iso(sql`asset.trashed_at`)} as "deletedAt",
    asset.is_favorite and asset.owner_id = ${userId} as "isFavorite",
    case when asset.locked_at is null then asset.visibility else 'locked' end as visibility,
    asset.live_video_id as "livePhotoVideoId",
    case when asset.owner_id = ${userId} or exists (select from ${PARTNERS} partner
      where partner.sharer_id = asset.owner_id and partner.viewer_id = ${userId})
      then asset.stack_id end as "stackId",
    null as "libraryId", asset.width, asset.height,
    exists (select from asset_edit where asset_edit.asset_id = asset.id) as "isEdited"`);

/** Of somebody else, who may keep from this account where it was taken. */
function exifData(isShared: boolean): SQL {
  const place = (column: string) =>
    sql.raw(isShared ? `case when asset.shows_place then exif.${column} end` : `exif.${column}`);
  return json(sql`
    exif.asset_id as "assetId", exif.description, exif.exif_width as "exifImageWidth",
    exif.exif_height as "exifImageHeight", asset.file_size as "fileSizeInByte", exif.orientation,
    ${capture(sql`exif.date_time_original`, isShared)} as "dateTimeOriginal",
    ${capture(sql`exif.modify_date`, isShared)} as "modifyDate", ${place('time_zone')} as "timeZone",
    ${place('latitude')} as latitude, ${place('longitude')} as longitude,
    exif.projection_type as "projectionType", ${place('city')} as city, ${place('state')} as state,
    ${place('country')} as country, exif.make, exif.model, exif.lens_model as "lensModel",
    exif.f_number as "fNumber", exif.focal_length as "focalLength", exif.iso,
    exif.exposure_time as "exposureTime", exif.profile_description as "profileDescription",
    nullif(greatest(exif.rating, 0), 0) as rating, exif.fps`);
}

export const editData: SQL = json(sql`
  edit_id(edit.asset_id, edit."position") as id, edit.asset_id as "assetId", edit.action,
  edit.parameters, edit."position" as sequence`);

const personData = json(sql`
  person.id, person.owner_id as "ownerId", person.name,
  to_char(person.birth_date, 'YYYY-MM-DD"T00:00:00.000Z"') as "birthDate",
  person.is_hidden as "isHidden", person.is_favorite as "isFavorite", person.color,
  ${PORTRAIT} as "faceAssetId", ${iso(sql`person.created_at`)} as "createdAt",
  ${iso(sql`person.updated_at`)} as "updatedAt"`);

/** In pixels; what edits have left of it, and never empty. */
const edge = (side: 'x' | 'y', of: 'width' | 'height') => {
  const [low, high, size] = [`face.${side}1`, `face.${side}2`, `face.image_${of}`];
  const within = (part: string) => `floor(least(1, greatest(0, ${part})) * ${size} + 0.5)`;
  const first = `least(${within(low)}, ${size} - 1)`;
  return {
    first: sql.raw(`${first}::int`),
    last: sql.raw(`greatest(${within(high)}, ${first} + 1)::int`),
  };
};
const [ACROSS, DOWN] = [edge('x', 'width'), edge('y', 'height')];

/** One whose middle was cut off is there, and not shown. */
const faceData = json(sql`
  face.id, face.asset_id as "assetId", face.person_id as "personId",
  face.image_width as "imageWidth", face.image_height as "imageHeight",
  ${ACROSS.first} as "boundingBoxX1", ${DOWN.first} as "boundingBoxY1",
  ${ACROSS.last} as "boundingBoxX2", ${DOWN.last} as "boundingBoxY2",
  face.source as "sourceType", not face.is_hidden and face.x1 + face.x2 between 0 and 2
    and face.y1 + face.y2 between 0 and 2 as "isVisible", null as "deletedAt"`);

/** A line as its owner corrected it. One that was dismissed, or is not found any more, is not shown. */
const ocrData = json(sql`
  line.id, line.asset_id as "assetId", coalesce(edit.text, line.text) as text,
  line.score as "textScore", line.box_score as "boxScore",
  line.quad[1] as x1, line.quad[2] as y1, line.quad[3] as x2, line.quad[4] as y2,
  line.quad[5] as x3, line.quad[6] as y3, line.quad[7] as x4, line.quad[8] as y4,
  line.is_read and edit.action is distinct from 'dismiss' as "isVisible"`);

const stackData = json(sql`
  stack.id, stack.owner_id as "ownerId", asset.id as "primaryAssetId",
  ${iso(sql`stack.created_at`)} as "createdAt", ${iso(sql`stack.updated_at`)} as "updatedAt"`);

const userData = json(sql`
  app_user.id, app_user.name, app_user.email, app_user.avatar_color as "avatarColor",
  app_user.profile_image is not null as "hasProfileImage",
  ${iso(sql`app_user.profile_changed_at`)} as "profileChangedAt",
  ${iso(sql`app_user.deleted_at`)} as "deletedAt"`);

const albumData = (withOwner: boolean) =>
  json(sql`
    album.id, ${withOwner ? sql`album.owner_id as "ownerId",` : sql``} album.name,
    album.description, ${iso(sql`album.created_at`)} as "createdAt",
    ${iso(sql`album.updated_at`)} as "updatedAt",
    album.is_activity_enabled as "isActivityEnabled", album.sort_order as "order",
    ${selectAlbumCover(sql`album.id`, sql`album.cover_id`)} as "thumbnailAssetId"`);

const ownAsset = (owner: SyncOwner) => sql`${selectOwnAssets(owner)} asset`;
const partnerAsset = (owner: SyncOwner) => sql`${selectPartnerAssets(owner)} asset`;
const albumAsset = (owner: SyncOwner) => sql`${selectAlbumAssets(owner)} asset`;
const OF_ALBUM = sql`asset.album_id = n.scope_id and asset.id = n.subject_id`;
const JOIN_EXIF = sql`join asset_exif exif on exif.asset_id = asset.id`;

/** Everything that a copy is made of, as this account may see it now. */
export const entitiesOf = (owner: SyncOwner) => {
  const one = (data: SQL, from: SQL, unit = BY_SUBJECT): Entity => ({ data, from, unit });
  const many = (data: SQL, from: SQL): Entity => ({ data, from, unit: BY_PART, isMany: true });
  const album = (withOwner: boolean): Entity => ({
    data: albumData(withOwner),
    // The account's own scope names the album, everything else happened in its scope.
    from: sql`from ${selectAlbums(owner)} album
      where album.id = case when n.scope_id = ${owner.userId} then n.subject_id else n.scope_id end`,
    unit: sql`case when page.scope_id = ${owner.userId} then page.subject_id else page.scope_id end`,
  });
  return {
    user: one(userData, sql`from app_user where app_user.id = n.subject_id`),
    partner: one(
      json(sql`partner.sharer_id as "sharedById", partner.viewer_id as "sharedWithId",
        partner.in_timeline as "inTimeline"`),
      sql`from ${PARTNERS} partner
        where partner.sharer_id = n.subject_id and partner.viewer_id = n.other_id`,
      sql`row(page.subject_id, page.other_id)`,
    ),
    asset: one(assetData(owner, false), sql`from ${ownAsset(owner)} where asset.id = n.subject_id`),
    exif: one(
      exifData(false),
      sql`from ${ownAsset(owner)} ${JOIN_EXIF} where asset.id = n.subject_id`,
    ),
    metadata: many(
      json(sql`info.asset_id as "assetId", info.key, info.value`),
      sql`from ${ownAsset(owner)} join asset_metadata info on info.asset_id = asset.id
        where asset.id = n.subject_id and (n.key is null or info.key = n.key)`,
    ),
    edit: many(
      editData,
      sql`from ${ownAsset(owner)} join asset_edit edit on edit.asset_id = asset.id
        where asset.id = n.subject_id
          and (n.other_id is null or edit_id(edit.asset_id, edit."position") = n.other_id)`,
    ),
    stack: one(
      stackData,
      sql`from stack join ${ownAsset(owner)} on asset.id = ${STACK_PRIMARY}
        where stack.id = n.subject_id`,
    ),
    person: one(personData, sql`from ${selectPeople(owner)} person where person.id = n.subject_id`),
    face: many(
      faceData,
      sql`from ${ownAsset(owner)} join face on face.asset_id = asset.id
        where asset.id = n.subject_id and (n.other_id is null or face.id = n.other_id)`,
    ),
    ocr: many(
      ocrData,
      sql`from ${ownAsset(owner)} join document_line line on line.asset_id = asset.id
        left join document_edit edit on edit.asset_id = line.asset_id and edit.line = line.line
        where asset.id = n.subject_id and (n.other_id is null or line.id = n.other_id)`,
    ),
    partnerAsset: one(
      assetData(owner, true),
      sql`from ${partnerAsset(owner)} where asset.id = n.subject_id`,
    ),
    partnerExif: one(
      exifData(true),
      sql`from ${partnerAsset(owner)} ${JOIN_EXIF} where asset.id = n.subject_id`,
    ),
    partnerStack: one(
      stackData,
      sql`from stack join ${partnerAsset(owner)} on asset.id = ${STACK_PRIMARY}
        where stack.id = n.subject_id`,
    ),
    album: album(false),
    albumWithOwner: album(true),
    albumUser: one(
      json(sql`member.album_id as "albumId", member.user_id as "userId", member.role`),
      sql`from (
          select album_id, user_id, role from album_user
          union all select id, owner_id, 'owner' from album) member
        join ${selectAlbums(owner)} album on album.id = member.album_id
        where member.album_id = n.scope_id and member.user_id = n.subject_id`,
    ),
    albumContent: one(assetData(owner, true), sql`from ${albumAsset(owner)} where ${OF_ALBUM}`),
    albumExif: one(exifData(true), sql`from ${albumAsset(owner)} ${JOIN_EXIF} where ${OF_ALBUM}`),
    albumAsset: one(
      json(sql`asset.album_id as "albumId", asset.id as "assetId"`),
      sql`from ${albumAsset(owner)} where ${OF_ALBUM}`,
    ),
  };
};
export type Entities = ReturnType<typeof entitiesOf>;

const gone = (columns: SQL) => sql`json_build_object(${columns})::text`;

/** What a deletion says: only ids, for nothing else is left. */
export const GONE = {
  user: gone(sql`'userId', n.subject_id`),
  partner: gone(sql`'sharedById', n.subject_id, 'sharedWithId', n.other_id`),
  asset: gone(sql`'assetId', n.subject_id`),
  metadata: gone(sql`'assetId', n.subject_id, 'key', n.key`),
  edit: gone(sql`'editId', n.other_id`),
  ocr: gone(sql`'assetId', n.subject_id, 'id', n.other_id, 'deletedAt', ${iso(sql`now()`)}`),
  person: gone(sql`'personId', n.subject_id`),
  face: gone(sql`'assetFaceId', n.other_id`),
  stack: gone(sql`'stackId', n.subject_id`),
  album: gone(sql`'albumId', n.subject_id`),
  albumUser: gone(sql`'albumId', n.scope_id, 'userId', n.subject_id`),
  albumAsset: gone(sql`'albumId', n.scope_id, 'assetId', n.subject_id`),
};
