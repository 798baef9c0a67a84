import { type SQL, sql } from 'drizzle-orm';
import { IS_EDITED } from '../../access/edited.ts';
import { visibleAssets, ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { STACK_SIZE, STACK_TOP } from '../stack-members/index.ts';
import type { Db } from '../../db/client.ts';
import { anyOfIds } from '../../db/arrays.ts';
import { column, type Columns, type InferRow } from '../../db/columns.ts';
import { queryPrepared, prepareQuery, type PreparedQuery } from '../../db/query.ts';
import type { AssetFileKind, AssetType } from '../../db/tables/assets.ts';
import { TAG_NAME } from '../../db/tables/tags.ts';
import type { TagView } from '../tags/index.ts';
import { type PersonView, OWNER_COLUMNS, OWNER_VIEW, type StackView } from './relations.store.ts';
import type { ViewOptions } from './view.ts';

/** The schema of ASSET_COLUMNS: what clients see of an asset. */
const ASSET_VIEW = {
  id: column.uuid,
  ownerId: column.uuid,
  type: column.text.as<AssetType>(),
  fileName: column.text,
  /** See src/media/content-type.ts. */
  contentType: column.text.orNull,
  /** Bytes. */
  fileSize: column.bigint,
  checksum: column.text,
  visibility: column.text.as<'timeline' | 'archive' | 'hidden'>(),
  lockedAt: column.timestamptz.orNull,
  trashedAt: column.timestamptz.orNull,
  isFavorite: column.boolean,
  liveVideoId: column.uuid.orNull,
  takenAt: column.timestamptz,
  localTakenAt: column.timestamp,
  fileModifiedAt: column.timestamptz,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
  width: column.integer.orNull,
  height: column.integer.orNull,
  durationMs: column.integer.orNull,
  thumbhash: column.text.orNull,
  isEdited: column.boolean,
  libraryId: column.uuid.orNull,
  /** The folder of its file in an external library. */
  folder: column.text.orNull,
  isOffline: column.boolean,
  /** True if the viewer may know where the asset was taken. */
  showsPlace: column.boolean,
};

/** The schema of EXIF_COLUMNS. */
const EXIF_VIEW = {
  make: column.text.orNull,
  model: column.text.orNull,
  lensModel: column.text.orNull,
  fNumber: column.float.orNull,
  focalLength: column.float.orNull,
  iso: column.integer.orNull,
  exposureTime: column.text.orNull,
  exifWidth: column.integer.orNull,
  exifHeight: column.integer.orNull,
  orientation: column.text.orNull,
  dateTimeOriginal: column.timestamptz.orNull,
  modifyDate: column.timestamptz.orNull,
  timeZone: column.text.orNull,
  latitude: column.float.orNull,
  longitude: column.float.orNull,
  city: column.text.orNull,
  state: column.text.orNull,
  country: column.text.orNull,
  description: column.text.orNull,
  projectionType: column.text.orNull,
  rating: column.integer.orNull,
};

/** The schema of ASSET_COLUMNS and EXIF_COLUMNS. */
export const ASSET_VIEW_WITH_EXIF = { ...ASSET_VIEW, ...EXIF_VIEW };

/** The columns of an asset that clients see. Instants are PostgreSQL's text. */
export type AssetView = InferRow<typeof ASSET_VIEW_WITH_EXIF>;

/** Columns of a scope named "asset". */
export const ASSET_COLUMNS: SQL = sql`
  asset.id, asset.owner_id as "ownerId", asset.type, asset.file_name as "fileName",
  asset.content_type as "contentType", asset.file_size as "fileSize", encode(asset.sha1, 'base64') as checksum, asset.visibility,
  asset.locked_at as "lockedAt", asset.trashed_at as "trashedAt",
  asset.is_favorite as "isFavorite", asset.live_video_id as "liveVideoId",
  asset.taken_at as "takenAt", asset.local_taken_at as "localTakenAt",
  asset.file_modified_at as "fileModifiedAt", asset.created_at as "createdAt",
  asset.updated_at as "updatedAt", asset.width, asset.height, asset.duration_ms as "durationMs",
  encode(asset.thumbhash, 'base64') as thumbhash,
  ${IS_EDITED} as "isEdited",
  asset.library_id as "libraryId", asset.folder, asset.offline_at is not null as "isOffline",
  asset.shows_place as "showsPlace"`;

/** Columns of asset_exif named "exif". */
export const EXIF_COLUMNS: SQL = sql.raw(`
  exif.make, exif.model, exif.lens_model as "lensModel", exif.f_number as "fNumber",
  exif.focal_length as "focalLength", exif.iso, exif.exposure_time as "exposureTime",
  exif.exif_width as "exifWidth", exif.exif_height as "exifHeight", exif.orientation,
  exif.date_time_original as "dateTimeOriginal", exif.modify_date as "modifyDate",
  exif.time_zone as "timeZone", exif.latitude, exif.longitude, exif.city, exif.state,
  exif.country, exif.description, exif.projection_type as "projectionType", exif.rating`);

const FULL_VIEW = {
  ...ASSET_VIEW_WITH_EXIF,
  ...OWNER_VIEW,
  stack: column.json<StackView>().orNull,
  tags: column.json<readonly TagView[]>().orNull,
  people: column.json<readonly PersonView[]>().orNull,
  /** The asset has duplicate candidates; its duplicate set takes another query. */
  hasSimilarAsset: column.boolean.orNull,
};

/** For one asset, or few. Of many, relations are read by set: see relations.store.ts. */
const relationColumns = (viewerId: string | null) => sql`
  case when asset.stack_id is not null then json_build_object('id', asset.stack_id,
    'primaryAssetId', ${STACK_TOP}, 'assetCount', ${STACK_SIZE}) end as stack,
  (select json_agg(json_build_object('id', tag.id, 'parentId', tag.parent_id, 'name', ${TAG_NAME},
      'value', tag.value, 'color', tag.color, 'createdAt', tag.created_at, 'updatedAt', tag.updated_at)
      order by tag.value)
    from tag_asset join tag on tag.id = tag_asset.tag_id
    where tag_asset.asset_id = asset.id and tag.owner_id = ${viewerId}::uuid) as tags,
  (select json_agg(json_build_object('id', person.id, 'name', person.name,
      'birthDate', person.birth_date, 'isHidden', person.is_hidden,
      'isFavorite', person.is_favorite, 'color', person.color,
      'thumbnailTag', person.thumbnail_tag,
      'thumbnailFaceId', person.thumbnail_face_id, 'updatedAt', person.updated_at)
      order by person.name = '', person.name, person.id)
    from person where person.owner_id = ${viewerId}::uuid and person.id in (
      select face.person_id from face where face.asset_id = asset.id and not face.is_hidden)) as people,
  asset.owner_id = ${viewerId}::uuid and (
    exists (select from duplicate_pair where first_id = asset.id)
    or exists (select from duplicate_pair where second_id = asset.id)
    or exists (select from duplicate_member where asset_id = asset.id)) as "hasSimilarAsset"`;

/** Formats a PostgreSQL array: one parameter keeps the text of the statement constant. */
const toArrayLiteral = (values: readonly string[]) => `{${values.join(',')}}`;
const HAS_LISTED_ID = sql`asset.id = ${anyOfIds(sql.placeholder('ids'))}`;
const HAS_ID = sql`asset.id = ${sql.placeholder('id')}::uuid`;

/**
 * Returns a query by ids with a statement of its own for one id. For a list the planner expects ten, and would choose
 * a plan for them.
 */
function prepareByIds<Schema extends Columns>(columns: Schema, write: (hasId: SQL) => SQL) {
  const findOne = prepareQuery(columns, write(HAS_ID));
  const findSeveral = prepareQuery(columns, write(HAS_LISTED_ID));
  return (db: Db, ids: readonly string[]) =>
    ids.length === 1 ? findOne(db, { id: ids[0] }) : findSeveral(db, { ids: toArrayLiteral(ids) });
}

type StoreReader = { readonly db: Db; readonly session: Session };

/** Returns a function that loads those of some ids that the session may see, by id. */
export function createViewFinder(reader: StoreReader) {
  const asset = visibleAssets(reader.db, reader.session, 'any');
  const viewerId = reader.session.kind === 'user' ? reader.session.userId : null;
  const find = prepareByIds(
    FULL_VIEW,
    (hasId) => sql`select ${ASSET_COLUMNS}, ${EXIF_COLUMNS}, ${OWNER_COLUMNS},
        ${relationColumns(viewerId)}
      from ${asset}
      left join asset_exif exif on exif.asset_id = asset.id
      join app_user owner on owner.id = asset.owner_id
      where ${hasId}`,
  );
  return async (ids: readonly string[]) =>
    new Map((await find(reader.db, ids)).map((row) => [row.id, row]));
}

/** Returns those of `ids` that the session may see, without relations. */
export function findViews(reader: StoreReader, ids: readonly string[]): Promise<AssetView[]> {
  const asset = visibleAssets(reader.db, reader.session, 'any');
  return queryPrepared(
    reader.db,
    ASSET_VIEW_WITH_EXIF,
    sql`select ${ASSET_COLUMNS}, ${EXIF_COLUMNS} from ${asset}
      left join asset_exif exif on exif.asset_id = asset.id
      where asset.id = ${anyOfIds(ids)}`,
  );
}

const ASSET_FILE_VIEW = {
  id: column.uuid,
  ownerId: column.uuid,
  type: column.text.as<AssetType>(),
  isLocked: column.boolean,
  showsPlace: column.boolean,
  /** The file cannot be decoded. */
  isBroken: column.boolean,
  fileName: column.text,
  contentType: column.text.orNull,
  fileSize: column.bigint,
  /** Hexadecimal. */
  sha256: column.text,
  kind: column.text.orNull,
  name: column.text.orNull,
  mimeType: column.text.orNull,
  size: column.bigint.orNull,
  tag: column.text.orNull,
};

/** A file of an asset, with `kind` to `tag` null if there is none. */
export type AssetFileView = InferRow<typeof ASSET_FILE_VIEW>;

/**
 * Returns a function that loads the files of these kinds by asset id: at least one row for every asset
 * that the session may see.
 */
export function createFileFinder(reader: StoreReader, kinds: readonly AssetFileKind[]) {
  const asset = visibleAssets(reader.db, reader.session, 'any');
  // No parameter: knowing its value, each plan would look cheaper than the general one.
  const literal = sql.raw(`'${toArrayLiteral(kinds)}'::text[]`);
  const find = prepareByIds(
    ASSET_FILE_VIEW,
    (hasId) => sql`select asset.id, asset.owner_id as "ownerId", asset.type,
        asset.locked_at is not null as "isLocked", asset.shows_place as "showsPlace",
        coalesce(asset.broken_reason like 'broken: %', false) as "isBroken",
        asset.file_name as "fileName", asset.content_type as "contentType",
        asset.file_size as "fileSize", encode(asset.sha256, 'hex') as sha256, file.kind, file.name, file.mime_type as "mimeType",
        file.size, file.tag
      from ${asset}
      left join asset_file file
        on file.asset_id = asset.id and file.kind = any(${literal})
      where ${hasId}`,
  );
  return async (ids: readonly string[]) => Map.groupBy(await find(reader.db, ids), (row) => row.id);
}

/** Length of a UUID as text. */
const ID_LENGTH = 36;

/** Returns the asset id of a name of `bodyName`. */
export const getAssetId = (name: string): string => name.slice(0, ID_LENGTH);

/** Returns whether a name of `bodyName` says that the asset is the viewer's own. */
export const isOwnBody = (name: string): boolean => name[ID_LENGTH + 1] === 't';

/**
 * Names the body of a row without reading what is in it: bodies of equal name are equal. For a scope named
 * "asset" and, for bodies with EXIF, asset_exif joined as "exif".
 *
 * The name is the asset id, what the viewer may see, and versions of all that `toAsset` reads. The version
 * of a row is the transaction that wrote it, which PostgreSQL stores anyway: each change gives the row
 * another one, except a second change in one transaction, which only that transaction could take for the
 * first.
 */
export function bodyName({ viewerId, withExif, showMetadata }: ViewOptions): SQL {
  if (!showMetadata) return sql`concat_ws(' ', asset.id, 'bare', asset.row_version)`;
  const isOwn = viewerId === undefined ? sql`false` : sql`asset.owner_id = ${viewerId}::uuid`;
  return sql`concat_ws(' ', asset.id, ${isOwn}, asset.shows_place, asset.row_version, ${IS_EDITED},
    ${withExif ? sql`'exif', exif.xmin` : sql`'plain'`})`;
}

/** Safe: from rows without EXIF, `toAsset` reads nothing of it but the city. */
const WITHOUT_EXIF = { city: EXIF_VIEW.city } as typeof EXIF_VIEW;

export type NamedView = AssetView & { readonly name: string };

/**
 * Returns the query for those of its `ids` that the session may see, with the names of what it read. `own`:
 * those that the caller owns, which PostgreSQL plans in a fifth of the time.
 */
export function prepareNamedViews(
  { db, session }: StoreReader,
  options: ViewOptions,
  reach: 'own' | 'any',
): PreparedQuery<NamedView> {
  const asset = reach === 'own' ? ownAssets(db, session, 'any') : visibleAssets(db, session, 'any');
  const { withExif } = options;
  return prepareQuery(
    { ...ASSET_VIEW, ...(withExif ? EXIF_VIEW : WITHOUT_EXIF), name: column.text },
    sql`select ${ASSET_COLUMNS}, ${withExif ? EXIF_COLUMNS : sql.raw('null as city')},
        ${bodyName(options)} as name
      from ${asset}
      ${sql.raw(withExif ? 'left join asset_exif exif on exif.asset_id = asset.id' : '')}
      where asset.id = any(${sql.placeholder('ids')}::uuid[])`,
  );
}
