import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { forbidden } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import { toHex } from '../../../core/hash.ts';
import { requireValue } from '../../../core/required.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isMachineFault } from '../../../jobs/machine-faults.ts';
import { readMetadata } from '../../../media/metadata.ts';
import { getMediaType } from '../../../media/formats.ts';
import { getExifTool } from '../../assets/index.ts';
import { hasObjectStore } from '../../../storage/index.ts';
import type { AssetUploadMetadata } from './asset-metadata.ts';
import { uploadNotFound } from '../../../staging/errors.ts';
import * as staging from '../../../staging/staging.ts';
import { toCandidate } from './finish.domain.ts';
import {
  findVerified,
  isLivePhoto,
  lockUploads,
  settleUpload,
  type Upload,
} from './resumable.store.ts';
import {
  type UploadResponse,
  uploadExpired,
  invalidInput,
  problem,
  toResult,
} from './responses.ts';
import {
  type Candidate,
  insertAssets,
  publishFiles,
  storeFiles,
  toLivePhotoItems,
} from '../publish/new-asset.domain.ts';
import { resolveDuplicate, restoreOriginalIfLost } from '../publish/publish.domain.ts';
import type { LivePhotoCommit, LivePhotoResult } from './resumable.schemas.ts';
import { findAccount, findBySha1, type ExistingAsset } from '../publish/publish.store.ts';

type UploadPair = { readonly photo: Upload; readonly video: Upload };
type AssetIds = { readonly photoId: string; readonly videoId: string };
type Outcome = AssetIds & UploadPair & { readonly status: LivePhotoResult['status'] };

/** Publishes both halves of a live photo or neither. A repeated commit returns the same assets. */
export async function commitLivePhoto(ctx: Ctx, commit: LivePhotoCommit): Promise<UploadResponse> {
  const photoUploadId = commit.photoUploadId.toLowerCase();
  const videoUploadId = commit.videoUploadId.toLowerCase();
  if (photoUploadId === videoUploadId) {
    throw invalidInput('videoUploadId', 'videoUploadId must not be photoUploadId');
  }
  const stored = await storeHalves(ctx, [photoUploadId, videoUploadId]);
  const outcome = await inTransaction(ctx, async (ctx) => {
    const pair = await lockUploadPair(ctx, photoUploadId, videoUploadId);
    return (await findEarlierOutcome(ctx, pair)) ?? publishPair(ctx, pair, stored);
  });
  const { status, photo, video, photoId, videoId } = outcome;
  if (status !== 'published') {
    reach('asset.committed');
    await staging.remove(ctx, photo);
    await staging.remove(ctx, video);
  }
  const body: LivePhotoResult = {
    status,
    photoAssetId: photoId,
    videoAssetId: videoId,
    photo: toResult(photo),
    video: toResult(video),
  };
  return { status: status === 'committed' ? 202 : 200, headers: {}, body };
}

/** By the id of the upload. */
type StoredHalves = ReadonlyMap<string, Candidate>;

/** Has the object store keep verified halves before their transaction, where there is one. */
async function storeHalves(ctx: Ctx, ids: readonly string[]): Promise<StoredHalves> {
  const stored = new Map<string, Candidate>();
  if (!hasObjectStore(ctx.settings) || !ids.every((id) => UUID.test(id))) return stored;
  const { userId } = requireUser(ctx.session);
  const halves = await findVerified(ctx.db, userId, ids);
  // The transaction tells where the files on another machine are.
  if (!staging.areTogether(ctx, [...halves, { stagingId: null }])) return stored;
  for (const upload of halves) {
    stored.set(upload.id, await storeFiles(ctx, toHalfCandidate(ctx, upload)));
  }
  return stored;
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

async function lockUploadPair(
  ctx: Ctx,
  photoUploadId: string,
  videoUploadId: string,
): Promise<UploadPair> {
  const ids = [photoUploadId, videoUploadId];
  if (!ids.every((id) => UUID.test(id))) throw uploadNotFound();
  const rows = await lockUploads(ctx.db, requireUser(ctx.session).userId, ids);
  if (rows === 'busy') {
    throw problem('conflict', 'One of the uploads is being committed', {
      code: 'concurrent_request',
      members: { retryable: true },
    });
  }
  const [photo, video] = ids.map((id) => rows.find((row) => row.id === id));
  if (!photo || !video) throw uploadNotFound();
  for (const { status, expiresAt } of [photo, video]) {
    if (expiresAt <= ctx.now()) throw uploadExpired();
    if (status === 'cancelled') throw uploadNotFound();
  }
  return { photo, video };
}

/** Returns the outcome of an earlier commit, or undefined. */
async function findEarlierOutcome(
  ctx: Ctx,
  { photo, video }: UploadPair,
): Promise<Outcome | undefined> {
  if (photo.assetId === null && video.assetId === null) return undefined;
  const [photoId, videoId] = [photo.assetId, video.assetId];
  if (photoId && videoId && (await isLivePhoto(ctx.db, photoId, videoId))) {
    return { status: 'published', photo, video, photoId, videoId };
  }
  throw pairDuplicate('One of the uploads belongs to another item already');
}

async function publishPair(ctx: Ctx, pair: UploadPair, stored: StoredHalves): Promise<Outcome> {
  const { userId } = requireUser(ctx.session);
  await requireFiles(ctx, pair);
  await requireMatchingHalves(ctx, pair);
  const toCandidate = (upload: Upload) => stored.get(upload.id) ?? toHalfCandidate(ctx, upload);
  const [photo, video] = [toCandidate(pair.photo), toCandidate(pair.video)];
  const existing = await findExistingPair(ctx, userId, pair);
  if (existing) {
    await restoreOriginalIfLost(ctx, existing.photo, photo);
    await restoreOriginalIfLost(ctx, existing.video, video);
    await resolveDuplicate(ctx, existing.photo);
    return settlePair(
      ctx,
      pair,
      { photoId: existing.photo.id, videoId: existing.video.id },
      'duplicate',
    );
  }
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  const created = toLivePhotoItems(ctx, userId, account, { photo, video });
  const items = [created.video, created.photo];
  const locked = await insertAssets(ctx, account, items);
  if (!locked) throw pairDuplicate('A half is in the library by now');
  const ids = { photoId: created.photo.asset.id, videoId: created.video.asset.id };
  const outcome = await settlePair(ctx, pair, ids, 'committed');
  await publishFiles(ctx, items, locked);
  return outcome;
}

/** Throws HeldElsewhere when the files of both halves are on the machine of another server, and 404 when it is gone. */
async function requireFiles(ctx: Ctx, { photo, video }: UploadPair): Promise<void> {
  if (!staging.areTogether(ctx, [photo, video]))
    throw incompatible('The uploads are on different machines: repeat one of them');
  if (await staging.isLost(ctx, photo)) throw uploadNotFound();
}

function toHalfCandidate({ paths }: Ctx, upload: Upload): Candidate {
  const digests = { sha256: upload.sha256, sha1: getSha1(upload), size: upload.offset };
  return toCandidate(upload, staging.toReceived(paths, upload, digests));
}

const getSha1 = ({ sha1 }: Upload) => requireValue(sha1, 'SHA-1 of a verified upload');

/**
 * Throws 409 unless both uploads are complete, one is an image and one a video, and their content
 * identifiers do not differ.
 */
async function requireMatchingHalves(ctx: Ctx, { photo, video }: UploadPair): Promise<void> {
  for (const { status, publication } of [photo, video]) {
    if (publication !== 'live-photo') {
      throw incompatible('An upload was not made with publication live-photo');
    }
    if (status !== 'verified') throw incompatible('An upload is not complete');
  }
  if (!hasMediaType(photo, 'image', 'IMAGE') || !hasMediaType(video, 'video', 'VIDEO')) {
    throw incompatible('A live photo is one image and one video');
  }
  const [still, moving] = await Promise.all(
    [photo, video].map((half) => readContentIdentifier(ctx, half)),
  );
  if (still && moving && still !== moving) {
    throw incompatible('The files carry different content identifiers');
  }
}

const hasMediaType = ({ mediaType, metadata }: Upload, kind: string, type: string): boolean =>
  mediaType.startsWith(`${kind}/`) &&
  getMediaType((metadata as AssetUploadMetadata).filename) === type;

/** Returns Apple's ContentIdentifier, or undefined when the file has none or cannot be read. */
async function readContentIdentifier(ctx: Ctx, upload: Upload): Promise<string | undefined> {
  const { filename, fileCreatedAt } = upload.metadata as AssetUploadMetadata;
  const options = {
    fileName: filename,
    fallbackTime: new Date(fileCreatedAt),
    ownerZone: 'utc',
  };
  try {
    const found = await readMetadata(
      getExifTool(ctx.paths, { processes: 2 }),
      toHalfCandidate(ctx, upload).file.path,
      options,
    );
    return found.contentIdentifier;
  } catch (error) {
    if (isMachineFault(error)) throw error;
    ctx.log.warn('reading the content identifier failed', { id: upload.id, error });
    return undefined;
  }
}

/**
 * Returns the pair if the owner already has it as a live photo. Throws 409 when only one half exists.
 */
async function findExistingPair(
  ctx: Ctx,
  userId: string,
  { photo, video }: UploadPair,
): Promise<{ readonly photo: ExistingAsset; readonly video: ExistingAsset } | undefined> {
  const [photoSha1, videoSha1] = [toHex(getSha1(photo)), toHex(getSha1(video))];
  const rows = await findBySha1(ctx.db, userId, [photoSha1, videoSha1]);
  if (rows.length === 0) return undefined;
  const still = rows.find((row) => row.sha1 === photoSha1);
  const moving = rows.find((row) => row.sha1 === videoSha1);
  if (still && moving && (await isLivePhoto(ctx.db, still.id, moving.id))) {
    return { photo: still, video: moving };
  }
  throw pairDuplicate('One of the files is in the library already, and not in this pair');
}

async function settlePair(
  { db, now }: Ctx,
  { photo, video }: UploadPair,
  { photoId, videoId }: AssetIds,
  outcome: 'committed' | 'duplicate',
): Promise<Outcome> {
  const status = outcome === 'committed' ? 'published' : 'duplicate';
  await settleUpload(db, photo.id, { status, assetId: photoId, updatedAt: now() });
  await settleUpload(db, video.id, { status, assetId: videoId, updatedAt: now() });
  return {
    status: outcome,
    photoId,
    videoId,
    photo: { ...photo, status, assetId: photoId },
    video: { ...video, status, assetId: videoId },
  };
}

const incompatible = (message: string) =>
  problem('conflict', message, { code: 'live_photo_incompatible' });
const pairDuplicate = (message: string) =>
  problem('conflict', message, { code: 'live_photo_duplicate' });
