import type { Half } from './live-photo.store.ts';

export type Pair = { readonly still: Half; readonly videoId: string };

/**
 * Which halves with one ContentIdentifier belong together: the oldest still without a video and the
 * oldest free video. A video that the owner locked or trashed stays where it is: behind a still that
 * is neither, it would come out again.
 */
export function pairOf(halves: readonly Half[]): Pair | undefined {
  const still = halves.find((half) => half.type === 'IMAGE' && half.liveVideoId === null);
  if (!still) return undefined;
  const video = halves.find(
    (half) =>
      half.type === 'VIDEO' &&
      !half.isTaken &&
      (half.lockedAt === null || still.lockedAt !== null) &&
      (half.trashedAt === null || still.trashedAt !== null),
  );
  return video && { still, videoId: video.id };
}
