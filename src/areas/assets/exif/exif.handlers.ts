import { join } from 'node:path';
import type { Effect, HandlerOf, JobCtx } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { isPermanent, MediaError, broken } from '../../../media/errors.ts';
import { isRaw } from '../../../media/formats.ts';
import { type MediaMetadata, readMetadata as readFile } from '../../../media/metadata.ts';
import { findOriginal } from '../../../media/originals.ts';
import { createGeocoder, type Geocoder } from '../../../media/places.ts';
import { tagOne, tagsOfFile } from '../../tags/index.ts';
import { type readMetadata, renderImage } from '../jobs.ts';
import { pairOf } from '../live-photos/live-photo.ts';
import { findHalves, joinHalves, lockPair } from '../live-photos/live-photo.store.ts';
import { extractMotion } from './motion.handlers.ts';
import {
  findForMetadata,
  lockAsset,
  type MetadataSubject,
  type ReadExif,
  saveMetadata,
  saveUnreadable,
} from '../processing/processing.store.ts';
import { exifToolFor } from '../processing/tools.ts';

/** Reads the file and its sidecar; then pairs live photos and takes motion videos out. */
export const handleReadMetadata: HandlerOf<typeof readMetadata> = async (ctx, { assetId }) => {
  const asset = await findForMetadata(ctx.db, assetId);
  if (!asset) return undefined;
  const original = await findOriginal(ctx.paths, asset.sha256);
  // Missing bytes say nothing about the file: a mount may be away. The job is tried again.
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  const exiftool = exifToolFor(ctx.paths, ctx.settings.mediaConcurrency);
  let metadata: MediaMetadata;
  try {
    metadata = await readFile(exiftool, original.path, {
      fileName: asset.fileName,
      fallbackTime: asset.takenAt,
      ownerZone: asset.ownerZone ?? 'UTC',
      sidecarPath: asset.sidecarName ? join(ctx.paths.derived, asset.sidecarName) : undefined,
    });
    if (asset.type === 'AUDIO' && !metadata.fileType) throw broken('The file is no sound');
  } catch (error) {
    return unreadable(ctx, asset, error);
  }
  const place = await placeOf(asset, metadata);
  const motion = await extractMotion(ctx, asset, original.path, metadata);
  const save = saving(ctx, asset, metadata, place);
  if (!motion) return save;
  return async (tx) => {
    try {
      // The original is locked before the asset, as uploads do.
      await motion.add(tx);
      await save(tx);
    } finally {
      await motion.discard();
    }
  };
};

/** Pictures and videos are broken when they cannot be shown; sound has nothing else to say so. */
function unreadable(ctx: JobCtx, asset: MetadataSubject, error: unknown): Effect {
  if (!(error instanceof MediaError)) throw error;
  if (!isPermanent(error) && !ctx.isLastAttempt) throw error;
  ctx.log.warn('a file cannot be read', { assetId: asset.id, reason: error.message });
  const isShown = asset.type === 'IMAGE' || asset.type === 'VIDEO';
  const reason = isShown ? undefined : `${error.kind}: ${error.message}`;
  return (tx) => saveUnreadable(tx, asset.id, { reason, now: ctx.now() });
}

type PlaceColumns = Pick<ReadExif, 'city' | 'state' | 'country'>;
const NOWHERE: PlaceColumns = { city: null, state: null, country: null };

let geocoder: Promise<Geocoder> | undefined;

/** Of the position that the owner set, else of the file's. */
async function placeOf(asset: MetadataSubject, read: MediaMetadata): Promise<PlaceColumns> {
  const isEdited = asset.editedFields?.includes('latitude') ?? false;
  const latitude = isEdited ? asset.latitude : read.latitude;
  const longitude = isEdited ? asset.longitude : read.longitude;
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return NOWHERE;
  geocoder ??= createGeocoder();
  const place = (await geocoder).reverse(latitude, longitude);
  if (!place) return NOWHERE;
  return { city: place.city ?? null, state: place.state ?? null, country: place.country };
}

function saving(
  ctx: JobCtx,
  { id, ownerId, type, fileName, metadataReadAt, lockedAt, uploadLinkId }: MetadataSubject,
  read: MediaMetadata,
  place: PlaceColumns,
): Effect {
  const cid = read.contentIdentifier;
  return async (tx) => {
    const now = ctx.now();
    // Only once: a tag that the owner has taken off stays off. The list of tags is shown without the
    // PIN, so what is locked adds no words to it. Tags are the owner's: a guest's file gets none.
    const paths = metadataReadAt === null && uploadLinkId === null ? read.tags : [];
    const tagIds = await tagsOfFile(tx, ownerId, { paths, mayGrow: lockedAt === null });
    if (cid) await lockPair(tx, ownerId, cid);
    if (!(await lockAsset(tx, id))) return;
    const { takenAt, localTakenAt, width, height, durationMs } = read;
    const row = { takenAt, localTakenAt, width, height, durationMs, now };
    await saveMetadata(tx, id, { ...exifOf(read), ...place }, row);
    await tagOne(tx, id, tagIds);
    if (cid) {
      const pair = pairOf(await findHalves(tx, { id, ownerId }, cid));
      if (pair) await joinHalves(tx, pair.still, pair.videoId, now);
    }
    // The picture may have been made without what only the metadata names.
    if (type === 'IMAGE' && changesPicture(fileName, read)) {
      await enqueue(tx, renderImage, { assetId: id });
    }
  };
}

const changesPicture = (fileName: string, read: MediaMetadata): boolean =>
  (read.colorspace === 'Adobe RGB' && read.profileDescription === undefined) ||
  (isRaw(fileName) && (read.orientation ?? 1) > 1);

/** Every column, so that what a corrected sidecar no longer says goes away. */
function exifOf(read: MediaMetadata): ReadExif {
  const stored = storedSize(read);
  return {
    make: read.make ?? null,
    model: read.model ?? null,
    lensModel: read.lensModel ?? null,
    fNumber: read.fNumber ?? null,
    focalLength: read.focalLength ?? null,
    iso: read.iso ?? null,
    exposureTime: read.exposureTime ?? null,
    fps: read.fps ?? null,
    codec: read.codec ?? null,
    exifWidth: stored.width ?? null,
    exifHeight: stored.height ?? null,
    orientation: read.orientation === undefined ? null : String(read.orientation),
    dateTimeOriginal: read.takenAt,
    timeZone: read.zone,
    dateSource: read.dateSource,
    latitude: read.latitude ?? null,
    longitude: read.longitude ?? null,
    description: read.description ?? '',
    // 0 is what cameras write for "not rated".
    rating: read.rating && read.rating > 0 ? read.rating : null,
    projectionType: read.projectionType ?? null,
    profileDescription: read.profileDescription ?? null,
    colorspace: read.colorspace ?? null,
    bitsPerSample: read.bitsPerSample ?? null,
    livePhotoCid: read.contentIdentifier ?? null,
    burstId: read.burstId ?? null,
  };
}

/** Clients turn these two by the orientation themselves, where that is what turns the picture. */
function storedSize({ width, height, orientation = 1, mimeType = '' }: MediaMetadata) {
  const isTurned = orientation >= 5 && !/^(video\/|image\/(hei[cf]|avif))/.test(mimeType);
  return isTurned ? { width: height, height: width } : { width, height };
}
