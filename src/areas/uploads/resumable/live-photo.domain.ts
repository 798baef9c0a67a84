import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { forbidden } from '../../../core/errors.ts';
import type { DataPaths } from '../../../core/paths.ts';
import { reach } from '../../../core/fault.ts';
import { toHex } from '../../../core/hash.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type ExifTool, openExifTool } from '../../../media/exiftool.ts';
import { readMetadata } from '../../../media/metadata.ts';
import { getPartialPath, removePartial } from '../../../media/partial-file.ts';
import { getMediaType } from '../../../media/formats.ts';
import type { AssetUploadMetadata } from './asset-metadata.ts';
import { candidateOf } from './finish.domain.ts';
import { isPair, lockUploads, settleUpload } from './live-photo.store.ts';
import { type Answer, expired, invalidInput, noUpload, problem } from './problems.ts';
import {
  answerDuplicate,
  insertAssets,
  newAsset,
  type NewItem,
  publishFiles,
  restoreIfLost,
} from '../publish/publish.domain.ts';
import type { LivePhotoCommit, LivePhotoResult } from './resumable.schemas.ts';
import type { Upload } from './resumable.store.ts';
import { findAccount, findKnown, type Known } from '../publish/publish.store.ts';
import { toResult } from './upload-view.ts';

type Pair = { readonly photo: Upload; readonly video: Upload };
type Ids = { readonly photoId: string; readonly videoId: string };
type Outcome = Ids & Pair & { readonly status: LivePhotoResult['status'] };

/** Makes both halves assets, or neither. Asked for again, it answers what it has done. */
export async function commitLivePhoto(ctx: Ctx, commit: LivePhotoCommit): Promise<Answer> {
  const photoUploadId = commit.photoUploadId.toLowerCase();
  const videoUploadId = commit.videoUploadId.toLowerCase();
  if (photoUploadId === videoUploadId) {
    throw invalidInput('videoUploadId', 'videoUploadId must not be photoUploadId');
  }
  const outcome = await inTransaction(ctx, async (ctx) => {
    const pair = await lockPair(ctx, photoUploadId, videoUploadId);
    return (await settled(ctx, pair)) ?? publishPair(ctx, pair);
  });
  const { status, photo, video, photoId, videoId } = outcome;
  if (status !== 'published') {
    reach('asset.committed');
    await removePartial(ctx.paths, photo.id);
    await removePartial(ctx.paths, video.id);
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

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

async function lockPair(ctx: Ctx, photoUploadId: string, videoUploadId: string): Promise<Pair> {
  const ids = [photoUploadId, videoUploadId];
  if (!ids.every((id) => UUID.test(id))) throw noUpload();
  const rows = await lockUploads(ctx.db, requireUser(ctx.session).userId, ids);
  if (rows === 'busy') {
    throw problem('conflict', 'One of the uploads is being committed', {
      code: 'concurrent_request',
      members: { retryable: true },
    });
  }
  const [photo, video] = ids.map((id) => rows.find((row) => row.id === id));
  if (!photo || !video) throw noUpload();
  for (const { status, expiresAt } of [photo, video]) {
    if (expiresAt <= ctx.now()) throw expired();
    if (status === 'cancelled') throw noUpload();
  }
  return { photo, video };
}

/** What an earlier commit has done; undefined when this is the first. */
async function settled(ctx: Ctx, { photo, video }: Pair): Promise<Outcome | undefined> {
  if (photo.assetId === null && video.assetId === null) return undefined;
  const [photoId, videoId] = [photo.assetId, video.assetId];
  if (photoId && videoId && (await isPair(ctx.db, photoId, videoId))) {
    return { status: 'published', photo, video, photoId, videoId };
  }
  throw duplicate('One of the uploads belongs to another item already');
}

async function publishPair(ctx: Ctx, pair: Pair): Promise<Outcome> {
  const { userId } = requireUser(ctx.session);
  await requireFitting(ctx, pair);
  const [photo, video] = [toCandidate(ctx, pair.photo), toCandidate(ctx, pair.video)];
  const known = await findExisting(ctx, userId, pair);
  if (known) {
    await restoreIfLost(ctx, known.photo, photo);
    await restoreIfLost(ctx, known.video, video);
    await answerDuplicate(ctx, known.photo);
    return settle(ctx, pair, { photoId: known.photo.id, videoId: known.video.id }, 'duplicate');
  }
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  const videoAsset = newAsset(ctx, userId, account, video);
  const still = newAsset(ctx, userId, account, photo);
  // One half that is to be Locked takes the other one with it: shown, it would show both.
  const lockedAt = still.lockedAt ?? videoAsset.lockedAt ?? null;
  const photoAsset = { ...still, lockedAt, liveVideoId: videoAsset.id };
  const items: NewItem[] = [
    {
      // Where the still is, the video is behind it.
      asset: {
        ...videoAsset,
        visibility: 'hidden',
        lockedAt,
        isFavorite: false,
      },
      candidate: video,
    },
    { asset: photoAsset, candidate: photo },
  ];
  const doubted = await insertAssets(ctx, account, items);
  if (!doubted) throw duplicate('A half is in the library by now');
  const ids = { photoId: photoAsset.id, videoId: videoAsset.id };
  const outcome = await settle(ctx, pair, ids, 'committed');
  await publishFiles(ctx, items, doubted);
  return outcome;
}

const toCandidate = (ctx: Ctx, upload: Upload) =>
  candidateOf(ctx, upload, {
    sha256: upload.sha256,
    sha1: upload.sha1!,
    size: upload.offset,
  });

/** Both received, both meant to be a half, one of each kind, and not halves of different wholes. */
async function requireFitting(ctx: Ctx, { photo, video }: Pair): Promise<void> {
  for (const { status, publication } of [photo, video]) {
    if (publication !== 'live-photo') {
      throw incompatible('An upload was not made with publication live-photo');
    }
    if (status !== 'verified') throw incompatible('An upload is not complete');
  }
  if (!isOf(photo, 'image', 'IMAGE') || !isOf(video, 'video', 'VIDEO')) {
    throw incompatible('A live photo is one image and one video');
  }
  const [still, moving] = await Promise.all([photo, video].map((half) => identifierOf(ctx, half)));
  if (still && moving && still !== moving) {
    throw incompatible('The files carry different content identifiers');
  }
}

const isOf = ({ mediaType, metadata }: Upload, kind: string, type: string): boolean =>
  mediaType.startsWith(`${kind}/`) &&
  getMediaType((metadata as AssetUploadMetadata).filename) === type;

const exiftools = new Map<string, ExifTool>();

function exifToolOf({ incoming }: DataPaths): ExifTool {
  let exiftool = exiftools.get(incoming);
  if (!exiftool) {
    exiftool = openExifTool({ processes: 2, files: { read: [incoming] } });
    exiftools.set(incoming, exiftool);
  }
  return exiftool;
}

/** Apple's name for the pair; undefined when the file has none, or cannot be read at all. */
async function identifierOf(ctx: Ctx, { id, metadata }: Upload): Promise<string | undefined> {
  const { filename, fileCreatedAt } = metadata as AssetUploadMetadata;
  const options = {
    fileName: filename,
    fallbackTime: new Date(fileCreatedAt),
    ownerZone: 'utc',
  };
  try {
    const found = await readMetadata(exifToolOf(ctx.paths), getPartialPath(ctx.paths, id), options);
    return found.contentIdentifier;
  } catch (error) {
    ctx.log.warn('could not read the half of a live photo', { id, error });
    return undefined;
  }
}

/** The same pair, taken in another way before. Throws when only a half of it is there. */
async function findExisting(
  ctx: Ctx,
  userId: string,
  { photo, video }: Pair,
): Promise<{ readonly photo: Known; readonly video: Known } | undefined> {
  const [photoSha1, videoSha1] = [toHex(photo.sha1!), toHex(video.sha1!)];
  const rows = await findKnown(ctx.db, userId, [photoSha1, videoSha1]);
  if (rows.length === 0) return undefined;
  const still = rows.find((row) => row.sha1 === photoSha1);
  const moving = rows.find((row) => row.sha1 === videoSha1);
  if (still && moving && (await isPair(ctx.db, still.id, moving.id))) {
    return { photo: still, video: moving };
  }
  throw duplicate('One of the files is in the library already, and not in this pair');
}

async function settle(
  { db, now }: Ctx,
  { photo, video }: Pair,
  { photoId, videoId }: Ids,
  how: 'committed' | 'duplicate',
): Promise<Outcome> {
  const status = how === 'committed' ? 'published' : 'duplicate';
  await settleUpload(db, photo.id, { status, assetId: photoId, updatedAt: now() });
  await settleUpload(db, video.id, { status, assetId: videoId, updatedAt: now() });
  return {
    status: how,
    photoId,
    videoId,
    photo: { ...photo, status, assetId: photoId },
    video: { ...video, status, assetId: videoId },
  };
}

const incompatible = (message: string) =>
  problem('conflict', message, { code: 'live_photo_incompatible' });
const duplicate = (message: string) =>
  problem('conflict', message, { code: 'live_photo_duplicate' });
