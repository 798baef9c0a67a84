import { type CaptureTime, toLocalTime } from '../../../media/capture-time.ts';
import type { AssetForMetadata } from './metadata.store.ts';

/** Disks, archives and cameras without a set clock have 1970 or 1980. */
const FIRST_FILE_TIME = Date.UTC(1990, 0, 1);

/** Returns the earlier of creation and change of the file, as Immich does: a copy is created when it is made. */
export function getClientTime({
  takenAt,
  fileModifiedAt,
}: Pick<AssetForMetadata, 'takenAt' | 'fileModifiedAt'>): Date {
  const isEarlier = fileModifiedAt < takenAt && fileModifiedAt.getTime() >= FIRST_FILE_TIME;
  return isEarlier ? fileModifiedAt : takenAt;
}

/** Clocks that are right differ by less. */
const DAY_MS = 86_400_000;

/**
 * Returns where an asset is on the timeline: a date in the future is kept as what the file says, and sorted at the
 * time of the upload.
 */
export function getPlaceInTime(
  { createdAt, ownerZone }: Pick<AssetForMetadata, 'createdAt' | 'ownerZone'>,
  { takenAt, localTakenAt }: Pick<CaptureTime, 'takenAt' | 'localTakenAt'>,
  now: Date,
): Pick<CaptureTime, 'takenAt' | 'localTakenAt'> {
  if (takenAt.getTime() <= now.getTime() + DAY_MS) return { takenAt, localTakenAt };
  return { takenAt: createdAt, localTakenAt: toLocalTime(createdAt, ownerZone) };
}
