import type { Db } from '../../../db/client.ts';
import type { Effect, JobHandler, JobCtx } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { measureAnimation } from '../../../media/animation.ts';
import { findContentType } from '../../../media/content-type.ts';
import { MediaError, broken } from '../../../media/errors.ts';
import { isRaw } from '../../../media/formats.ts';
import * as storage from '../../../storage/index.ts';
import type { LocalFile } from '../../../storage/index.ts';
import { withPrivateFile } from '../../../media/private-file.ts';
import { type MediaMetadata, readMetadata as readFile } from '../../../media/metadata.ts';
import type { MetadataSupplement } from '../../../media/metadata-options.ts';
import { readRecentConfig } from '../../system-config/index.ts';
import {
  addTagsToAsset,
  findGarbledTags,
  removeTagsFromAsset,
  upsertFileTags,
} from '../../tags/index.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import { importFaces, type NamedFace, type readMetadata, renderImage } from '../jobs.ts';
import { preparePairing } from '../live-photos/pairing.domain.ts';
import { findOriginal } from '../originals/originals.domain.ts';
import { extractMotion } from '../live-photos/motion-video.handlers.ts';
import { lockAsset } from '../processing/processing.store.ts';
import {
  type AssetForMetadata,
  type ExifColumns,
  findForMetadata,
  type Position,
  saveMetadata,
  saveUnreadable,
} from './metadata.store.ts';
import { findPlace, type PlaceColumns } from './place.ts';
import { ensureScratchFolder } from '../processing/derived-files.ts';
import { getExifTool } from '../processing/media-tools.ts';
import { type CaptureTime, toLocalTime } from '../../../media/capture-time.ts';

/** A larger video of an external library is read where it is, by an exiftool of its own. */
const MAX_COPIED_BYTES = 64 * 1024 ** 2;

/** Reads the metadata of the file and its sidecar, pairs live photos and extracts motion videos. */
export const handleReadMetadata: JobHandler<typeof readMetadata> = async (ctx, { assetId }) => {
  const asset = await findForMetadata(ctx.db, assetId);
  if (!asset) return undefined;
  await using original = await findOriginal(ctx, asset.sha256);
  // A missing file does not make the asset broken: a mount may be offline. The job is retried.
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  if (asset.type !== 'IMAGE' && original.size > MAX_COPIED_BYTES) {
    return await readOriginal(ctx, asset, original);
  }
  const tempDir = await ensureScratchFolder(ctx.paths);
  return await withPrivateFile(original.path, tempDir, (path) =>
    readOriginal(ctx, asset, { ...original, path }),
  );
};

async function readOriginal(
  ctx: JobCtx,
  asset: AssetForMetadata,
  original: LocalFile,
): Promise<Effect> {
  const exiftool = getExifTool(ctx.paths);
  let metadata: MediaMetadata;
  let contentType: string | undefined;
  try {
    metadata = await readFile(exiftool, original.path, {
      fileName: asset.fileName,
      fallbackTime: getClientTime(asset),
      ownerZone: asset.ownerZone ?? 'UTC',
      supplement: toSupplement(asset.supplement),
      sidecarPath: asset.sidecarName
        ? await storage.locate(ctx, storage.derivedFile(ctx.paths, asset.sidecarName))
        : undefined,
    });
    if (asset.type === 'AUDIO' && !metadata.fileType) throw broken('The file is no sound');
    if (asset.type === 'IMAGE' && metadata.durationMs === undefined) {
      const durationMs = await measureAnimation(original.path, ctx.signal);
      metadata = { ...metadata, durationMs };
    }
    contentType = await findContentType(original.path, asset.fileName);
  } catch (error) {
    return createUnreadableEffect(ctx, asset, original, error);
  }
  const { metadata: reading } = await readRecentConfig(ctx.db);
  const { latitude, longitude } = getOwnPosition(asset, metadata);
  const place = await findPlace(ctx.db, latitude, longitude);
  const hasFaces = reading.faces.import && asset.lockedAt === null && asset.uploadLinkId === null;
  const faces = hasFaces ? listNamedFaces(metadata) : [];
  const save = createSaveEffect(ctx, asset, { ...metadata, faces, contentType }, place);
  // The photo does not wait for a video in it that cannot be read for now.
  ctx.onFailed(save);
  const motion = await extractMotion(ctx, asset, original, metadata);
  if (!motion) return save;
  return async (tx) => {
    try {
      // Uploads lock the original before the asset, too.
      await motion.add(tx);
      await save(tx);
    } finally {
      await motion.discard();
    }
  };
}

function toSupplement(row: AssetForMetadata['supplement']): MetadataSupplement | undefined {
  if (!row) return undefined;
  const { takenAt, trustsDate, description, latitude, longitude } = row;
  const position = latitude === null || longitude === null ? undefined : { latitude, longitude };
  return {
    takenAt: takenAt ?? undefined,
    trustsDate,
    description: description ?? undefined,
    position,
  };
}

/** Marks audio as broken. Rendering decides that for pictures and videos. */
async function createUnreadableEffect(
  ctx: JobCtx,
  asset: AssetForMetadata,
  { path }: LocalFile,
  error: unknown,
): Promise<Effect> {
  if (!(error instanceof MediaError) || !(await isVerdict(ctx, error, path))) throw error;
  ctx.log.warn('metadata extraction failed', { assetId: asset.id, reason: error.message });
  const isShown = asset.type === 'IMAGE' || asset.type === 'VIDEO';
  const reason = isShown ? undefined : `${error.kind}: ${error.message}`;
  return (tx) => saveUnreadable(tx, asset.id, { reason, now: ctx.now() });
}

/** Returns the position that the owner set, else that of the file. */
const getOwnPosition = (asset: AssetForMetadata, read: MediaMetadata): Position =>
  asset.editedFields?.includes('latitude') ? asset : read;

/** Faces without a name are left to the models, which find them better. */
const listNamedFaces = ({ faces }: MediaMetadata): NamedFace[] =>
  faces.flatMap(({ name, ...box }) => (name === undefined ? [] : [{ name, ...box }]));

type ReadValues = Omit<MediaMetadata, 'faces'> & {
  readonly faces: readonly NamedFace[];
  readonly contentType: string | undefined;
};

function createSaveEffect(
  ctx: JobCtx,
  asset: AssetForMetadata,
  read: ReadValues,
  place: PlaceColumns,
): (tx: Db) => Promise<void> {
  const { id, ownerId, type, fileName, metadataReadAt, lockedAt, uploadLinkId } = asset;
  return async (tx) => {
    const now = ctx.now();
    // Tags are read once, so that a tag the owner removed stays removed. A locked asset creates no
    // tags, as their list is shown without the PIN. A guest's file gets none: tags are the owner's.
    const isNew = metadataReadAt === null && uploadLinkId === null;
    const garbled = await findGarbledTags(tx, id, lockedAt === null ? read.garbledTags : []);
    const paths = isNew ? read.tags : garbled.paths;
    const tagIds = await upsertFileTags(tx, ownerId, { paths, mayGrow: lockedAt === null });
    const pair = await preparePairing(tx, asset, read.contentIdentifier);
    if (!(await lockAsset(tx, id))) return;
    const { width, height, contentType = null } = read;
    // ExifTool estimates that of sound by its bit rate; rendering measures it.
    const durationMs = type === 'AUDIO' ? undefined : read.durationMs;
    const size = { width, height, durationMs };
    const position = getOwnPosition(asset, read);
    const row = { ...getPlaceInTime(asset, read, now), ...size, contentType, now, position };
    // Before the time of the first reading is saved: later tags are those of people, which sidecars get.
    await removeTagsFromAsset(tx, id, garbled.ids);
    await addTagsToAsset(tx, id, tagIds);
    await saveMetadata(tx, id, { ...toExifColumns(read), ...place }, row);
    await pair(now);
    await recordEvents(tx, 'AssetMetadataExtraction', [id]);
    if (read.faces.length > 0)
      await enqueue(tx, importFaces, { assetId: id, faces: [...read.faces] });
    // The picture may have been rendered without the color profile or orientation that only metadata
    // tells.
    if (type === 'IMAGE' && needsRendering(fileName, read)) {
      await enqueue(tx, renderImage, { assetId: id });
    }
  };
}

const needsRendering = (fileName: string, read: MediaMetadata): boolean =>
  (read.colorspace === 'Adobe RGB' && read.profileDescription === undefined) ||
  (isRaw(fileName) && (read.orientation ?? 1) > 1);

/** Sets every column, so that values missing from a corrected sidecar are cleared. */
function toExifColumns(read: MediaMetadata): ExifColumns {
  const stored = getStoredSize(read);
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
    // Cameras write 0 for "not rated"; -1 is a rejected picture.
    rating: read.rating || null,
    projectionType: read.projectionType ?? null,
    profileDescription: read.profileDescription ?? null,
    colorspace: read.colorspace ?? null,
    bitsPerSample: read.bitsPerSample ?? null,
    livePhotoCid: read.contentIdentifier ?? null,
    burstId: read.burstId ?? null,
  };
}

/**
 * Returns the size before rotation: clients apply the orientation to it.
 */
function getStoredSize({ width, height, orientation = 1, mimeType = '' }: MediaMetadata) {
  const isTurned = orientation >= 5 && !mimeType.startsWith('video/');
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Disks, archives and cameras without a set clock have 1970 or 1980. */
const FIRST_FILE_TIME = Date.UTC(1990, 0, 1);

/** Returns the earlier of creation and change of the file, as Immich does: a copy is created when it is made. */
function getClientTime({
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
function getPlaceInTime(
  { createdAt, ownerZone }: Pick<AssetForMetadata, 'createdAt' | 'ownerZone'>,
  { takenAt, localTakenAt }: Pick<CaptureTime, 'takenAt' | 'localTakenAt'>,
  now: Date,
): Pick<CaptureTime, 'takenAt' | 'localTakenAt'> {
  if (takenAt.getTime() <= now.getTime() + DAY_MS) return { takenAt, localTakenAt };
  return { takenAt: createdAt, localTakenAt: toLocalTime(createdAt, ownerZone) };
}
