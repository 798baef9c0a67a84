import { parse } from 'yaml';
import { toNumberWithin, toRecord, toText } from '../../../media/tag-values.ts';
import type { Facts, ImportedAlbum } from '../facts.ts';

// PhotoPrism writes a YAML file for each photo (storage/sidecar/2020/05/IMG_1.yml, or beside IMG_1.jpg) and for each
// album (storage/albums/album/aq1.yml). Photos are named by their UID there.

/** Larger files are none of PhotoPrism. */
export const MAX_PHOTO_BYTES = 64 * 1024;
export const MAX_ALBUM_BYTES = 16 * 1024 ** 2;

export type PhotoPrismPhoto = { readonly uid: string; readonly facts: Facts };
export type PhotoPrismAlbum = {
  readonly album: ImportedAlbum;
  /** Photos. */
  readonly uids: readonly string[];
};

/** Parses the file of a photo; undefined for any other text. */
export function parsePhoto(text: string): PhotoPrismPhoto | undefined {
  const photo = parseRecord(text);
  const uid = toText(photo?.['UID'], 100);
  if (!photo || !uid || photo['TakenAt'] === undefined) return undefined;
  return {
    uid,
    facts: {
      takenAt: isGuessed(photo['TakenSrc']) ? undefined : parseDate(photo['TakenAt']),
      position: isGuessed(photo['PlaceSrc']) ? undefined : parsePosition(photo),
      description: toText(photo['Caption']) ?? toText(photo['Description']),
      isFavorite: photo['Favorite'] === true,
      visibility: parseVisibility(photo),
    },
  };
}

/** Parses the file of an album that somebody has made; undefined for any other text. */
export function parseAlbum(text: string): PhotoPrismAlbum | undefined {
  const album = parseRecord(text);
  const title = toText(album?.['Title'], 200);
  const photos: unknown = album?.['Photos'];
  if (!title || album?.['Type'] !== 'album' || !Array.isArray(photos)) return undefined;
  const uids = (photos as unknown[]).flatMap(
    (photo) => toText(toRecord(photo)?.['UID'], 100) ?? [],
  );
  const key = toText(album['UID'], 100);
  const description = toText(album['Caption']) ?? toText(album['Description']);
  return {
    album: { title, description, ...(key && { origin: { source: 'photoprism', key } }) },
    uids,
  };
}

function parseRecord(text: string) {
  try {
    return toRecord(parse(text, { schema: 'core', logLevel: 'silent' }));
  } catch {
    // Some other program's file.
    return undefined;
  }
}

const isGuessed = (source: unknown): boolean => source === 'estimate';

function parseDate(value: unknown): Date | undefined {
  const date = new Date(toText(value, 40) ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** 0, 0 means unknown. */
function parsePosition(photo: Readonly<Record<string, unknown>>): Facts['position'] {
  const latitude = toNumberWithin(photo['Lat'], -90, 90);
  const longitude = toNumberWithin(photo['Lng'], -180, 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

/** Photos in the archive have a date of deletion. */
function parseVisibility(photo: Readonly<Record<string, unknown>>): Facts['visibility'] {
  if (photo['Private'] === true) return 'locked';
  return photo['DeletedAt'] ? 'archive' : undefined;
}
