import { randomUUID } from 'node:crypto';
import type { Ctx } from '../../../core/context.ts';
import { reach } from '../../../core/fault-points.ts';
import { toHex } from '../../../core/hash.ts';
import { derivedName } from '../../../core/paths.ts';
import { getFirst, requireValue } from '../../../core/required.ts';
import type { Db } from '../../../db/client.ts';
import { enqueueAll, type JobInsert, toJobInsert } from '../../../jobs/queue.ts';
import { toLocalTime } from '../../../media/capture-time.ts';
import type { MediaType } from '../../../media/formats.ts';
import {
  type Digests,
  publishOriginal,
  type Received,
  storeReceived,
  type OriginalState,
  hasObjectStore,
} from '../../../storage/index.ts';
import { attachVideo, readMetadata, renderImage, renderVideo } from '../../assets/index.ts';
import { recordEvents } from '../../workflow-events/index.ts';
import type { UploadFields } from '../form/fields.ts';
import { quotaExceeded } from '../../../staging/errors.ts';
import * as store from './publish.store.ts';
import * as storage from '../../../storage/index.ts';

// Inserts the rows and publishes the files of new assets, however their files were received.

/** The object store has it once it has a key, where there is one. */
export type Sidecar = Pick<Received, 'file' | 'digests' | 'objectKey'>;

/** A complete file on disk with verified digests and the client's fields. */
export type Candidate = Received & {
  readonly sidecar?: Sidecar | undefined;
  /** Id of the asset that it becomes, once its sidecar is stored. */
  readonly assetId?: string | undefined;
  readonly fields: UploadFields;
  readonly fileName: string;
  readonly type: MediaType;
};

/** Builds the row of a new asset. A guest's visibility and favorite are ignored. */
export function toNewAsset(
  ctx: Ctx,
  ownerId: string,
  { timeZone }: store.UploadAccount,
  { assetId, digests, fields, fileName, type }: Candidate,
): store.NewAsset {
  const { session } = ctx;
  const isGuest = session.kind === 'sharedLink';
  const visibility = isGuest ? 'timeline' : fields.visibility;
  return {
    id: assetId ?? randomUUID(),
    ownerId,
    type,
    sha256: digests.sha256,
    sha1: digests.sha1,
    fileName,
    fileSize: digests.size,
    visibility: visibility === 'locked' ? 'timeline' : visibility,
    lockedAt: visibility === 'locked' ? ctx.now() : null,
    isFavorite: fields.isFavorite && !isGuest,
    liveVideoId: fields.liveVideoId ?? null,
    uploadLinkId: isGuest ? session.linkId : null,
    uploadedFrom: isGuest ? null : session.device || null,
    takenAt: fields.fileCreatedAt,
    // Until the metadata job has read the file.
    localTakenAt: toLocalTime(fields.fileCreatedAt, timeZone),
    fileModifiedAt: fields.fileModifiedAt,
    durationMs: type === 'IMAGE' ? null : (fields.durationMs ?? null),
  };
}

/** Makes the files durable. Call it before the transaction that publishes them. */
export async function storeFiles(ctx: Ctx, candidate: Candidate): Promise<Candidate> {
  const { sidecar } = candidate;
  if (!sidecar) return storeReceived(ctx, candidate);
  const assetId = randomUUID();
  return storeReceived(ctx, {
    ...candidate,
    assetId,
    sidecar: await storeSidecar(ctx, assetId, sidecar),
  });
}

/** Makes a sidecar durable, in the object store where there is one. Call it before the transaction that publishes it. */
export async function storeSidecar<T extends Sidecar>(
  deps: Pick<Ctx, 'db' | 'sql' | 'settings' | 'paths'>,
  assetId: string,
  sidecar: T,
): Promise<T> {
  await sidecar.file.sync();
  const owner = { store: 'derived', id: assetId, kind: 'sidecar', extension: 'xmp' } as const;
  return { ...sidecar, objectKey: await storage.put(deps, sidecar.file.path, owner) };
}

export type NewAssetItem = { readonly asset: store.NewAsset; readonly candidate: Candidate };

/** Builds the rows of a new live photo: its video is hidden behind it, and if one half is locked, both are. */
export function toLivePhotoItems(
  ctx: Ctx,
  ownerId: string,
  account: store.UploadAccount,
  { photo, video }: { readonly photo: Candidate; readonly video: Candidate },
): { readonly photo: NewAssetItem; readonly video: NewAssetItem } {
  const still = toNewAsset(ctx, ownerId, account, photo);
  const moving = toNewAsset(ctx, ownerId, account, video);
  const lockedAt = still.lockedAt ?? moving.lockedAt ?? null;
  return {
    photo: { asset: { ...still, lockedAt, liveVideoId: moving.id }, candidate: photo },
    video: {
      asset: { ...moving, visibility: 'hidden', lockedAt, isFavorite: false },
      candidate: video,
    },
  };
}

/** By SHA-256 in hex. */
export type LockedOriginals = ReadonlyMap<string, OriginalState>;

/**
 * Inserts all rows of new assets of one owner and locks their originals; `publishFiles` then renames
 * the files under these locks (src/storage/originals.ts). Returns undefined when the owner has one of
 * them meanwhile: the transaction must then be rolled back. Throws 400 over the quota.
 */
export async function insertAssets(
  ctx: Ctx,
  account: store.UploadAccount,
  items: readonly NewAssetItem[],
): Promise<LockedOriginals | undefined> {
  const { db, session } = ctx;
  const { ownerId } = getFirst(items).asset;
  const ids = new Set(items.map(({ asset }) => asset.id));
  const originals = items.map(({ candidate }) => candidate.digests);
  const locked = await lockOriginals(db, originals);
  const quota = account.quotaBytes === null ? null : await store.lockQuota(db, ownerId);
  for (const { asset, candidate } of items) {
    if (asset.liveVideoId && !ids.has(asset.liveVideoId)) await linkLiveVideo(ctx, asset);
    if (!(await insertAsset(ctx, asset))) return undefined;
    // Only the owner's programs may store key-value metadata.
    if (session.kind === 'user') {
      await store.insertMetadata(db, asset.id, candidate.fields.metadata);
    }
    await enqueueAll(db, toProcessingJobs(asset));
  }
  if (quota !== null && (await store.sumUsedBytes(db, ownerId)) > quota) throw quotaExceeded();
  reach('asset.inserted');
  return locked;
}

/** Returns false when the owner has these bytes already. A guest's duplicate becomes a copy. */
async function insertAsset({ db, session }: Ctx, asset: store.NewAsset): Promise<boolean> {
  if (await store.insertAsset(db, asset)) return true;
  if (session.kind === 'user') return false;
  await store.insertCopy(db, asset);
  return true;
}

export function toProcessingJobs({
  id: assetId,
  type,
}: Pick<store.NewAsset, 'id' | 'type'>): JobInsert[] {
  const read = toJobInsert(readMetadata, { assetId });
  if (type === 'IMAGE') return [read, toJobInsert(renderImage, { assetId })];
  return type === 'VIDEO' || type === 'AUDIO'
    ? [read, toJobInsert(renderVideo, { assetId })]
    : [read];
}

/** Locks in the order of the digests, so that two uploads of the same files cannot deadlock. */
export async function lockOriginals(
  db: Db,
  originals: readonly Digests[],
): Promise<LockedOriginals> {
  const sorted = originals.toSorted((a, b) => Buffer.compare(a.sha256, b.sha256));
  const locked = new Map<string, OriginalState>();
  for (const { sha256, size } of sorted) {
    const found = await store.lockOriginal(db, sha256, size);
    if (found.size !== size) {
      throw new Error(`original ${toHex(sha256)} is on record with another size`);
    }
    locked.set(toHex(sha256), found);
  }
  return locked;
}

async function linkLiveVideo(ctx: Ctx, asset: store.NewAsset): Promise<void> {
  if (!asset.liveVideoId) return;
  const { liveVideoId, ownerId, lockedAt = null, uploadLinkId = null } = asset;
  // A new still is not in the trash, and neither is its video.
  // Guests of one link are strangers to each other: none makes the video of another a part of a photo.
  const isUpload = uploadLinkId === null;
  const still = { ownerId, lockedAt, uploadLinkId, trashedAt: null, isUpload };
  await attachVideo(ctx, liveVideoId, still);
}

/**
 * Records that inserted assets were created, as the transaction leaves them, and publishes their files. Call it
 * last in the transaction.
 */
export async function publishFiles(
  ctx: Ctx,
  items: readonly NewAssetItem[],
  locked: LockedOriginals,
): Promise<void> {
  const shown = items.filter(({ asset }) => asset.visibility !== 'hidden');
  await recordEvents(
    ctx.db,
    'AssetCreate',
    shown.map(({ asset }) => asset.id),
  );
  for (const { asset, candidate } of items) await publishSidecar(ctx, asset.id, candidate);
  await publishOriginals(
    ctx,
    items.map(({ candidate }) => candidate),
    locked,
  );
}

export async function publishOriginals(
  ctx: Ctx,
  files: readonly Received[],
  locked: LockedOriginals,
): Promise<void> {
  for (const received of files) {
    const { sha256 } = received.digests;
    const state = requireValue(locked.get(toHex(sha256)), 'lock of the original');
    if (state.isUnverified) await store.clearMissing(ctx.db, sha256);
    await publishOriginal(ctx, received, state);
  }
}

/** Publishes the sidecar of an asset, in the place of an earlier one. Call it last in the transaction. */
export async function publishSidecar(
  ctx: Pick<Ctx, 'db' | 'paths' | 'settings'>,
  assetId: string,
  { sidecar }: Pick<Candidate, 'sidecar'>,
): Promise<void> {
  if (!sidecar) return;
  const { objectKey } = sidecar;
  if (objectKey === undefined && hasObjectStore(ctx.settings)) {
    throw new Error('storeSidecar() must complete before');
  }
  const name = objectKey ?? derivedName(assetId, 'sidecar', 'xmp');
  await store.lockSidecars(ctx.db, [assetId]);
  await store.saveFile(ctx.db, {
    assetId,
    kind: 'sidecar',
    name,
    mimeType: 'application/xml',
    size: sidecar.digests.size,
    tag: toHex(sidecar.digests.sha256).slice(0, 16),
  });
  if (objectKey === undefined) {
    await sidecar.file.publish(storage.derivedFile(ctx.paths, name).path, { isDoubted: true });
  }
}
