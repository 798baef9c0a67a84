import { getLiveStem, haveSameTime, isLivePhoto } from '../../../media/live-photo-halves.ts';
import type { LivePhotoHalf } from './pairing.store.ts';

export type LivePhotoPair = { readonly still: LivePhotoHalf; readonly videoId: string };

export type Pairing = {
  /** New pairs. */
  readonly pairs: readonly LivePhotoPair[];
  /** Stills whose video another one gets. */
  readonly bereft: readonly LivePhotoHalf[];
  /** Videos that no still has any more. */
  readonly released: readonly { readonly videoId: string; readonly from: LivePhotoHalf }[];
};

/**
 * Decides which of the halves of live photos belong together: those with one name in one folder first, then with one
 * name, then those that are left, in their order, and of stills those that are not in the trash. A pair that is there
 * gives way only to one that fits better by its names, so that it does not matter which half comes first.
 */
export function findPairs(halves: readonly LivePhotoHalf[]): Pairing {
  const videos = halves.filter(({ type }) => type === 'VIDEO');
  const byId = new Map(videos.map((video) => [video.id, video]));
  const all = halves.filter(({ type }) => type === 'IMAGE');
  // A still keeps a video that is none of these halves, and such a still its video.
  const open = all.filter((still) => still.liveVideoId === null || byId.has(still.liveVideoId));
  const held = new Set(open.flatMap((still) => still.liveVideoId ?? []));
  const takable = videos.filter((video) => !video.isPaired || held.has(video.id));
  const stills = new Set(open.toSorted((a, b) => Number(!!a.trashedAt) - Number(!!b.trashedAt)));
  const kept = new Set<string>();
  const given = new Map<string, LivePhotoHalf>();
  for (const fits of FITS) {
    for (const still of stills) {
      const video = still.liveVideoId === null ? undefined : byId.get(still.liveVideoId);
      if (!video || given.has(video.id) || !fits(still, video)) continue;
      kept.add(video.id);
      stills.delete(still);
    }
    for (const still of stills) {
      const video = takable.find(
        (one) => !kept.has(one.id) && !given.has(one.id) && fits(still, one) && mayPair(still, one),
      );
      if (!video) continue;
      given.set(video.id, still);
      stills.delete(still);
    }
  }
  const bereft = [...stills].filter((still) => still.liveVideoId !== null);
  const released = open.flatMap((from) => {
    const videoId = from.liveVideoId;
    return videoId === null || kept.has(videoId) || given.has(videoId) ? [] : [{ videoId, from }];
  });
  return { pairs: [...given].map(([videoId, still]) => ({ still, videoId })), bereft, released };
}

type Fits = (still: LivePhotoHalf, video: LivePhotoHalf) => boolean;

const hasSameName: Fits = (still, video) =>
  getLiveStem(still.fileName) === getLiveStem(video.fileName);

const hasSamePlace: Fits = (still, video) =>
  still.folder === video.folder && hasSameName(still, video);

/** From the best to the worst. */
const FITS: readonly Fits[] = [hasSamePlace, hasSameName, () => true];

/** Whether a pair that is there says so itself, by its identifier or its names. */
export const belongTogether: Fits = (still, video) =>
  mayPair(still, video) && (hasSameIdentifier(still, video) || hasSamePlace(still, video));

/**
 * A locked or trashed video pairs only with a still in the same state, which would otherwise show it. Where only the
 * names suggest a pair, an export that dates its files differently has two items.
 */
const mayPair: Fits = (still, video) =>
  isLivePhoto(still, video) &&
  (hasSameIdentifier(still, video) || haveSameTime(still.exportedAt, video.exportedAt)) &&
  (video.lockedAt === null || still.lockedAt !== null) &&
  (video.trashedAt === null || still.trashedAt !== null);

const hasSameIdentifier: Fits = (one, other) =>
  one.contentIdentifier !== null && one.contentIdentifier === other.contentIdentifier;
