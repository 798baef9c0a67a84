import { haveSameTime, isLivePhoto } from '../../../media/live-photo-halves.ts';
import type { LivePhotoHalf } from './pairing.store.ts';

export type LivePhotoPair = { readonly still: LivePhotoHalf; readonly videoId: string };

/**
 * Returns the first still without a video and the first unpaired video that it may have. A locked or trashed video
 * pairs only with a still in the same state, which would otherwise show it. Where only the names suggest a pair, an
 * export that dates its files differently has two items.
 */
export function findPair(halves: readonly LivePhotoHalf[]): LivePhotoPair | undefined {
  const still = halves.find((half) => half.type === 'IMAGE' && half.liveVideoId === null);
  if (!still) return undefined;
  const video = halves.find(
    (half) =>
      half.type === 'VIDEO' &&
      !half.isPaired &&
      isLivePhoto(still, half) &&
      (hasSameIdentifier(still, half) || haveSameTime(still.exportedAt, half.exportedAt)) &&
      (half.lockedAt === null || still.lockedAt !== null) &&
      (half.trashedAt === null || still.trashedAt !== null),
  );
  return video && { still, videoId: video.id };
}

const hasSameIdentifier = (one: LivePhotoHalf, other: LivePhotoHalf): boolean =>
  one.contentIdentifier !== null && one.contentIdentifier === other.contentIdentifier;
