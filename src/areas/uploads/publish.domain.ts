import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { type Ctx, inTransaction } from '../../core/context.ts';
import { badRequest, conflict, noAccess } from '../../core/errors.ts';
import { reach } from '../../core/fault.ts';
import { toHex } from '../../core/hash.ts';
import { derivedName } from '../../core/paths.ts';
import type { Db } from '../../db/client.ts';
import { enqueueAll, type Need, need } from '../../jobs/queue.ts';
import type { MediaType } from '../../media/formats.ts';
import {
  type Digests,
  findOriginal,
  type Incoming,
  publishOriginal,
} from '../../media/originals.ts';
import { readMetadata, renderImage, renderVideo } from '../assets/index.ts';
import type { UploadFields } from './fields.ts';
import type { Uploaded } from './schemas.ts';
import { quotaExceeded } from './space.ts';
import * as store from './store.ts';

// How a file becomes an asset, whichever way it came in.

type Publishable = Pick<Incoming, 'sync' | 'publish'>;

/** A whole file on disk, its digests known to be right, and what its sender says about it. */
export type Candidate = {
  readonly file: Publishable;
  readonly sidecar?: { readonly file: Publishable; readonly digests: Digests } | undefined;
  readonly digests: Digests;
  readonly fields: UploadFields;
  readonly fileName: string;
  readonly type: MediaType;
};

/** What has to be written with the outcome, in its transaction. */
export type Note = (db: Db, uploaded: Uploaded) => Promise<void>;

const nothing: Note = async () => {};

/** Returns when the asset survives a power loss. Throws, and the library is as it was. */
export async function publishAsset(
  ctx: Ctx,
  ownerId: string,
  account: store.Account,
  candidate: Candidate,
  note: Note = nothing,
): Promise<Uploaded> {
  const sha1 = toHex(candidate.digests.sha1);
  const known = await findDuplicate(ctx, ownerId, sha1);
  if (known) return duplicate(ctx, known, candidate, note);

  await candidate.file.sync();
  await candidate.sidecar?.file.sync();
  const asset = newAsset(ctx, ownerId, account, candidate);
  const created = { id: asset.id, status: 'created' } as const;
  const isNew = await inTransaction(ctx, async (ctx) => {
    if (!(await insertAssets(ctx, account, [{ asset, candidate }]))) return false;
    await note(ctx.db, created);
    await publishFiles(ctx, [{ asset, candidate }]);
    return true;
  });
  if (isNew) {
    reach('asset.committed');
    return created;
  }
  const winner = await findDuplicate(ctx, ownerId, sha1);
  // It came and went meanwhile: the client will ask again.
  if (!winner) throw conflict('The same file was uploaded and deleted at this moment');
  return duplicate(ctx, winner, candidate, note);
}

/** The owner's asset with this SHA-1 (hex). */
export async function findDuplicate(
  ctx: Ctx,
  ownerId: string,
  sha1: string,
): Promise<store.Known | undefined> {
  const [known] = await store.findKnown(ctx.db, ownerId, [sha1]);
  return known;
}

async function duplicate(
  ctx: Ctx,
  known: store.Known,
  candidate: Candidate,
  note: Note,
): Promise<Uploaded> {
  // Two files can be made to have one SHA-1. To call them the same would lose one of them.
  if (toHex(known.sha256) !== toHex(candidate.digests.sha256)) {
    throw conflict('Another file with the same SHA-1 is in the library');
  }
  await restoreIfLost(ctx, candidate);
  const found = { id: known.id, status: 'duplicate' } as const;
  const { session } = ctx;
  const isShown = session.kind === 'sharedLink' && !known.isLocked && !known.isTrashed;
  if (isShown || note !== nothing) {
    await inTransaction(ctx, async ({ db }) => {
      if (isShown) await store.addToLink(db, session, known.id);
      await note(db, found);
    });
  }
  return found;
}

/** The library may know these bytes and have lost them: here they are again. */
export async function restoreIfLost(ctx: Ctx, { file, digests }: Candidate): Promise<void> {
  const { sha256, size } = digests;
  if (await findOriginal(ctx.paths, sha256)) return;
  await file.sync();
  await inTransaction(ctx, async ({ db, paths }) => {
    await store.lockOriginal(db, sha256, size);
    await publishOriginal(paths, file, sha256);
  });
  ctx.log.warn('a lost original was uploaded again', { sha256: toHex(sha256) });
}

/** What guests may not decide about the owner's library stays as it is by default. */
export function newAsset(
  ctx: Ctx,
  ownerId: string,
  { timeZone }: store.Account,
  { digests, fields, fileName, type }: Candidate,
): store.NewAsset {
  const isGuest = ctx.session.kind === 'sharedLink';
  const isLocked = fields.visibility === 'locked' && !isGuest;
  const isPlain = isLocked || fields.visibility === 'locked';
  const shelf =
    isPlain || (isGuest && fields.visibility === 'archive') ? 'timeline' : fields.visibility;
  return {
    id: randomUUID(),
    ownerId,
    type,
    sha256: digests.sha256,
    sha1: digests.sha1,
    fileName,
    fileSize: digests.size,
    visibility: shelf as 'timeline' | 'archive' | 'hidden',
    lockedAt: isLocked ? ctx.now() : null,
    isFavorite: fields.isFavorite && !isGuest,
    liveVideoId: fields.liveVideoId ?? null,
    takenAt: fields.fileCreatedAt,
    localTakenAt: wallClockOf(fields.fileCreatedAt, timeZone),
    fileModifiedAt: fields.fileModifiedAt,
    durationMs: type === 'IMAGE' ? null : (fields.durationMs ?? null),
  };
}

/** Until the file itself has been read. */
function wallClockOf(instant: Date, zone: string | null): string {
  const local = DateTime.fromJSDate(instant, { zone: zone ?? 'utc' });
  return (local.isValid ? local : DateTime.fromJSDate(instant, { zone: 'utc' })).toFormat(
    'yyyy-MM-dd HH:mm:ss.SSS',
  );
}

export type NewItem = { readonly asset: store.NewAsset; readonly candidate: Candidate };

/**
 * All rows of assets of one owner. The files come last, by publishFiles: they get their names under
 * the locks on the originals (src/media/originals.ts). False when the owner has one of them by now;
 * the transaction is then only good for that knowledge.
 */
export async function insertAssets(
  ctx: Ctx,
  account: store.Account,
  items: readonly NewItem[],
): Promise<boolean> {
  const { db, session } = ctx;
  const [first] = items;
  const ids = new Set(items.map(({ asset }) => asset.id));
  const originals = items.map(({ candidate }) => candidate.digests);
  await lockOriginals(db, originals);
  const quota =
    account.quotaBytes === null ? null : await store.lockQuota(db, first!.asset.ownerId);
  for (const { asset, candidate } of items) {
    if (asset.liveVideoId && !ids.has(asset.liveVideoId)) await linkLiveVideo(ctx, asset);
    if (!(await store.insertAsset(db, asset))) return false;
    await store.insertMetadata(db, asset.id, candidate.fields.metadata);
    if (session.kind === 'sharedLink') await store.addToLink(db, session, asset.id);
    await enqueueAll(db, needsOf(asset));
  }
  if (quota !== null && (await store.usedBytes(db, first!.asset.ownerId)) > quota) {
    throw quotaExceeded();
  }
  reach('asset.inserted');
  return true;
}

function needsOf({ id: assetId, type }: store.NewAsset): Need[] {
  const read = need(readMetadata, { assetId });
  if (type === 'IMAGE') return [read, need(renderImage, { assetId })];
  return type === 'VIDEO' ? [read, need(renderVideo, { assetId })] : [read];
}

/** In one order for everybody, so that two who take in the same pair of files wait, not deadlock. */
async function lockOriginals(db: Db, originals: readonly Digests[]): Promise<void> {
  const inOrder = originals.toSorted((a, b) => Buffer.compare(a.sha256, b.sha256));
  for (const { sha256, size } of inOrder) {
    if ((await store.lockOriginal(db, sha256, size)) === size) continue;
    throw new Error(`original ${toHex(sha256)} is on record with another size`);
  }
}

async function linkLiveVideo(ctx: Ctx, asset: store.NewAsset): Promise<void> {
  if (!asset.liveVideoId) return;
  const { liveVideoId: id, ownerId, lockedAt = null } = asset;
  const found = await store.hideLiveVideo(ctx.db, ctx.session, { id, ownerId, lockedAt });
  if (found === 'none') throw noAccess('asset.update');
  if (found === 'apart') throw badRequest('Both halves of a live photo are locked, or neither');
}

/** Last before the commit. */
export async function publishFiles(ctx: Ctx, items: readonly NewItem[]): Promise<void> {
  for (const { asset, candidate } of items) {
    await publishSidecar(ctx, asset.id, candidate);
    await publishOriginal(ctx.paths, candidate.file, candidate.digests.sha256);
  }
}

async function publishSidecar(ctx: Ctx, assetId: string, { sidecar }: Candidate): Promise<void> {
  if (!sidecar) return;
  const name = derivedName(assetId, 'sidecar', 'xmp');
  await store.insertFile(ctx.db, {
    assetId,
    kind: 'sidecar',
    name,
    mimeType: 'application/xml',
    size: sidecar.digests.size,
    tag: toHex(sidecar.digests.sha256).slice(0, 16),
  });
  await sidecar.file.publish(join(ctx.paths.derived, name));
}
