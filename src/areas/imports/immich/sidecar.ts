import type { MediaMetadata } from '../../../media/metadata.ts';
import { formatXmp, NO_VALUES, type SidecarValues } from '../../../media/xmp.ts';
import type { ImmichAsset } from './wire.ts';

/** Degrees: about ten metres, so that rounding is no change. */
const SAME_PLACE = 0.0001;
/** Digits of '2024-01-12T21:38:53'. */
const TO_SECONDS = 19;
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * Returns an XMP document of what was changed in Immich: the date, place, description and rating that the file does
 * not have by itself. Returns undefined if nothing was.
 */
export function createSidecar(asset: ImmichAsset, own: MediaMetadata): string | undefined {
  const { description, rating } = asset.exifInfo ?? {};
  const changed: Partial<SidecarValues> = {
    ...findDate(asset, own),
    ...findPlace(asset, own),
    ...(description && description !== own.description && { description }),
    ...(typeof rating === 'number' && rating !== (own.rating ?? 0) && { rating }),
  };
  return Object.keys(changed).length === 0 ? undefined : formatXmp({ ...NO_VALUES, ...changed });
}

function findDate(asset: ImmichAsset, own: MediaMetadata): Partial<SidecarValues> {
  // The date of Immich counts more than these without a sidecar, too.
  if (own.dateSource === 'FileName' || own.dateSource === 'FileModified') return {};
  const localTakenAt = asset.localDateTime.slice(0, TO_SECONDS);
  if (localTakenAt === own.localTakenAt.slice(0, TO_SECONDS)) return {};
  return { localTakenAt, offsetMinutes: getOffset(asset) };
}

/** Returns the minutes by which the clock on the wall is before UTC; null if Immich does not know them. */
function getOffset({ localDateTime, exifInfo }: ImmichAsset): number | null {
  const instant = Date.parse(exifInfo?.dateTimeOriginal ?? '');
  const minutes = Math.round((Date.parse(localDateTime) - instant) / 60_000);
  return Math.abs(minutes) <= MAX_OFFSET_MINUTES ? minutes : null;
}

function findPlace({ exifInfo }: ImmichAsset, own: MediaMetadata): Partial<SidecarValues> {
  const { latitude, longitude } = exifInfo ?? {};
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return {};
  const isSame =
    Math.abs(latitude - (own.latitude ?? Infinity)) < SAME_PLACE &&
    Math.abs(longitude - (own.longitude ?? Infinity)) < SAME_PLACE;
  return isSame ? {} : { latitude, longitude };
}
