import type { Db } from '../../../db/client.ts';
import {
  getLiveStem,
  listOtherHalfNames,
  haveSameTime,
  isLivePhoto,
} from '../../../media/live-photo-halves.ts';
import type { AssetForMetadata } from '../exif/metadata.store.ts';
import { showVideo } from './live-photo-video.store.ts';
import {
  findHalves,
  findHalvesByName,
  findOwnPairs,
  lockHalves,
  pairHalves,
  unpairStill,
  type LivePhotoHalf,
} from './pairing.store.ts';

/**
 * Locks the live photo that the asset may be a half of, before its row. Returns what pairs its halves once
 * the metadata is saved: by ContentIdentifier, and files of external libraries also by name.
 */
export async function preparePairing(tx: Db, asset: AssetForMetadata, cid: string | undefined) {
  const { id, ownerId, libraryId, folder, fileName } = asset;
  const others = libraryId ? listOtherHalfNames(fileName) : [];
  if (cid) await lockHalves(tx, ownerId, cid);
  if (others.length > 0) await lockHalves(tx, ownerId, `${folder}/${getLiveStem(fileName)}`);
  // A file of an external library may have had other content.
  const isReplaced = libraryId !== null && asset.metadataReadAt === null;
  return async (now: Date): Promise<void> => {
    if (isReplaced) await endFormerPairs(tx, id, now);
    const found = cid ? findPairs(await findHalves(tx, { id, ownerId }, cid)) : undefined;
    if (found) await savePairing(tx, found, now);
    if (others.length === 0 || (found && found.pairs.length > 0)) return;
    const halves = await findHalvesByName(tx, asset, [fileName, ...others]);
    await savePairing(tx, findPairs(halves), now);
  };
}

/** The video of a photo that has another content now is an item again, unless they belong together still. */
async function endFormerPairs(tx: Db, id: string, now: Date): Promise<void> {
  for (const { still, video } of await findOwnPairs(tx, id)) {
    if (belongTogether(still, video)) continue;
    await unpairStill(tx, still.id, now);
    await showVideo(tx, video.id, still, now);
  }
}

async function savePairing(tx: Db, { pairs, bereft, released }: Pairing, now: Date): Promise<void> {
  for (const { id } of bereft) await unpairStill(tx, id, now);
  for (const { still, videoId } of pairs) await pairHalves(tx, still, videoId, now);
  for (const { videoId, from } of released) await showVideo(tx, videoId, from, now);
}

type LivePhotoPair = { readonly still: LivePhotoHalf; readonly videoId: string };

type Pairing = {
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
function findPairs(halves: readonly LivePhotoHalf[]): Pairing {
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
const belongTogether: Fits = (still, video) =>
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
