import { getContentType } from '../../media/formats.ts';
import type { Asset, Exif, Visibility } from './schemas.ts';
import type { AssetView } from './store.ts';

export type ViewOptions = {
  /** The viewing user, undefined for a guest. Only the owner sees `isFavorite`. */
  readonly viewerId: string | undefined;
  readonly withExif: boolean;
  /** False for a guest of a shared link without metadata: no names, places or cameras. */
  readonly showMetadata: boolean;
};

/** Converts PostgreSQL's text of a timestamptz to ISO 8601 in UTC with milliseconds. */
export const toInstant = (text: string): string =>
  UTC_TEXT.test(text) ? toLocal(text.slice(0, -3)) : new Date(text).toISOString();
/** Text that is in UTC already needs no Date: a search page has thousands of instants. */
const UTC_TEXT = /^\d{4}-[\d: .-]{14,21}\+00$/;
/** Formats an instant as Immich does in EXIF: '+00:00' instead of 'Z', no trailing zeros. */
const toExifInstant = (text: string): string => `${toInstant(text).replace(/\.?0*Z$/, '')}+00:00`;
/** Formats a local timestamp as ISO 8601 with 'Z', which clients expect of local times. */
export function toLocal(text: string): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  return `${seconds}.${text.slice(20, 23).padEnd(3, '0')}Z`;
}

/** Returns the visibility for the wire, where 'locked' replaces the stored visibility. */
const toVisibility = (row: Pick<AssetView, 'visibility' | 'lockedAt'>): Visibility =>
  row.lockedAt === null ? row.visibility : 'locked';

/**
 * Returns the path of a file in an external library, to its owner; for others and for uploads, whose originals
 * have no folders, a virtual one by capture date ('/2024/05/name.jpg').
 */
const viewPath = (
  row: Pick<AssetView, 'fileName' | 'localTakenAt'> &
    Partial<Pick<AssetView, 'folder' | 'ownerId'>>,
  viewerId?: string,
): string =>
  row.folder && row.ownerId === viewerId
    ? `${row.folder === '/' ? '' : row.folder}/${row.fileName}`
    : `/${row.localTakenAt.slice(0, 4)}/${row.localTakenAt.slice(5, 7)}/${row.fileName}`;

export function toAsset(view: AssetView, options: ViewOptions): Asset {
  const local = toLocal(view.localTakenAt);
  if (!options.showMetadata) return toAssetWithoutMetadata(view, local);
  const row = view.showsPlace ? view : withoutPlace(view);
  const visibility = toVisibility(row);
  return {
    id: row.id,
    createdAt: toInstant(row.createdAt),
    ownerId: row.ownerId,
    libraryId: row.libraryId,
    type: row.type,
    originalPath: viewPath(row, options.viewerId),
    originalFileName: row.fileName,
    originalMimeType: getContentType(row),
    thumbhash: row.thumbhash,
    fileCreatedAt: toInstant(row.takenAt),
    fileModifiedAt: toInstant(row.fileModifiedAt),
    localDateTime: local,
    updatedAt: toInstant(row.updatedAt),
    isFavorite: row.isFavorite && row.ownerId === options.viewerId,
    isArchived: visibility === 'archive',
    isTrashed: row.trashedAt !== null,
    isOffline: row.isOffline,
    isEdited: row.isEdited,
    visibility,
    duration: row.durationMs,
    ...(options.withExif && { exifInfo: toExif(row) }),
    livePhotoVideoId: row.liveVideoId,
    // Clients of Immich require this member in every listing.
    people: [],
    checksum: row.checksum,
    stack: null,
    duplicateId: null,
    hasMetadata: true,
    width: row.width,
    height: row.height,
    resized: true,
  };
}

/** The owner's id for guests who may not know the owner: the nil UUID. */
export const ANONYMOUS_OWNER_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns only the members that Immich sends without metadata, although its API document requires more.
 */
function toAssetWithoutMetadata(row: AssetView, local: string): Asset {
  const picture: Partial<Asset> = {
    id: row.id,
    type: row.type,
    originalMimeType: getContentType(row),
    thumbhash: row.thumbhash,
    localDateTime: local,
    duration: row.durationMs,
    livePhotoVideoId: row.liveVideoId,
    hasMetadata: false,
    width: row.width,
    height: row.height,
  };
  return picture as Asset;
}

const NO_PLACE = {
  latitude: null,
  longitude: null,
  city: null,
  state: null,
  country: null,
  timeZone: null,
};

/**
 * Returns the view without its place and time zone. Capture instants become local times written as UTC:
 * their distance to local time would reveal the zone.
 */
function withoutPlace(row: AssetView): AssetView {
  const offsetMs = Date.parse(toLocal(row.localTakenAt)) - Date.parse(toInstant(row.takenAt));
  const toClock = (instant: string) =>
    new Date(Date.parse(toInstant(instant)) + offsetMs).toISOString();
  return {
    ...row,
    ...NO_PLACE,
    takenAt: toClock(row.takenAt),
    fileModifiedAt: toClock(row.fileModifiedAt),
    dateTimeOriginal: row.dateTimeOriginal && toClock(row.dateTimeOriginal),
    modifyDate: row.modifyDate && toClock(row.modifyDate),
  };
}

function toExif(row: AssetView): Exif {
  return {
    make: row.make,
    model: row.model,
    exifImageWidth: row.exifWidth,
    exifImageHeight: row.exifHeight,
    fileSizeInByte: Number(row.fileSize),
    orientation: row.orientation,
    dateTimeOriginal: row.dateTimeOriginal && toExifInstant(row.dateTimeOriginal),
    modifyDate: row.modifyDate && toExifInstant(row.modifyDate),
    timeZone: row.timeZone,
    lensModel: row.lensModel,
    fNumber: row.fNumber,
    focalLength: row.focalLength,
    iso: row.iso,
    exposureTime: row.exposureTime,
    latitude: row.latitude,
    longitude: row.longitude,
    city: row.city,
    state: row.state,
    country: row.country,
    description: row.description ?? '',
    projectionType: row.projectionType,
    // Some programs write -1 (rejected) into files.
    rating: row.rating || null,
  };
}
