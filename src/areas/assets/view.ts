import { getMimeType } from '../../media/formats.ts';
import type { Asset, Exif, Visibility } from './schemas.ts';
import type { AssetView } from './store.ts';

export type ViewOptions = {
  /** Who looks: favorites are the owner's own business. Undefined: a guest. */
  readonly viewerId: string | undefined;
  readonly withExif: boolean;
  /** False: a guest whom the owner shows pictures only, no names, places or cameras. */
  readonly showMetadata: boolean;
};

/** PostgreSQL writes instants in the zone of the session; clients get UTC with milliseconds. */
export const toInstant = (text: string): string =>
  IN_UTC.test(text) ? toLocal(text.slice(0, -3)) : new Date(text).toISOString();
/** The usual case, where writing needs no reading: a page of a search has thousands of instants. */
const IN_UTC = /^\d{4}-[\d: .-]{14,21}\+00$/;
/** As Immich prints instants of EXIF: an offset instead of Z, and no zeros behind the last digit. */
const toExifInstant = (text: string): string => `${toInstant(text).replace(/\.?0*Z$/, '')}+00:00`;
/** What the clock showed, written as if it were UTC: what clients expect of local times. */
export function toLocal(text: string): string {
  const seconds = `${text.slice(0, 10)}T${text.slice(11, 19)}`;
  return `${seconds}.${text.slice(20, 23).padEnd(3, '0')}Z`;
}

/** Locked is a state beside the shelf; on the wire it is one of the shelves. */
export const visibilityOf = (row: Pick<AssetView, 'visibility' | 'lockedAt'>): Visibility =>
  row.lockedAt === null ? row.visibility : 'locked';

/** Originals have no folders of their own: the path is a view by capture date. */
export const viewPath = (row: Pick<AssetView, 'fileName' | 'localTakenAt'>): string =>
  `/${row.localTakenAt.slice(0, 4)}/${row.localTakenAt.slice(5, 7)}/${row.fileName}`;

export function toAsset(full: AssetView, options: ViewOptions): Asset {
  const local = toLocal(full.localTakenAt);
  if (!options.showMetadata) return toPicture(full, local);
  const row = full.showsPlace ? full : withoutPlace(full);
  const visibility = visibilityOf(row);
  return {
    id: row.id,
    createdAt: toInstant(row.createdAt),
    ownerId: row.ownerId,
    libraryId: null,
    type: row.type,
    originalPath: viewPath(row),
    originalFileName: row.fileName,
    originalMimeType: getMimeType(row.fileName),
    thumbhash: row.thumbhash,
    fileCreatedAt: toInstant(row.takenAt),
    fileModifiedAt: toInstant(row.fileModifiedAt),
    localDateTime: local,
    updatedAt: toInstant(row.updatedAt),
    isFavorite: row.isFavorite && row.ownerId === options.viewerId,
    isArchived: visibility === 'archive',
    isTrashed: row.trashedAt !== null,
    isOffline: false,
    isEdited: row.isEdited,
    visibility,
    duration: row.durationMs,
    ...(options.withExif && { exifInfo: toExif(row) }),
    livePhotoVideoId: row.liveVideoId,
    // Clients of others require the member in every listing.
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

/** Stands for the owner where guests are not told who that is. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * What tells no more than the picture does: the members that Immich leaves, though its document requires
 * others too, and an owner whom nobody is.
 */
function toPicture(row: AssetView, local: string): Asset {
  const picture: Partial<Asset> = {
    id: row.id,
    ownerId: NOBODY,
    type: row.type,
    originalMimeType: getMimeType(row.fileName),
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

const NOWHERE = {
  latitude: null,
  longitude: null,
  city: null,
  state: null,
  country: null,
  timeZone: null,
};

/**
 * As if the camera had known neither place nor time zone: the clock is all that is left, so instants of
 * the capture are what it showed, written as if it were UTC. Their distance to it would tell the zone.
 */
function withoutPlace(row: AssetView): AssetView {
  const offsetMs = Date.parse(toLocal(row.localTakenAt)) - Date.parse(toInstant(row.takenAt));
  const toClock = (instant: string) =>
    new Date(Date.parse(toInstant(instant)) + offsetMs).toISOString();
  return {
    ...row,
    ...NOWHERE,
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
    // Some programs write -1 into files: rejected.
    rating: row.rating !== null && row.rating > 0 ? row.rating : null,
  };
}
