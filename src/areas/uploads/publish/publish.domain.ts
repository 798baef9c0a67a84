import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import type { Ctx } from '../../../core/context.ts';
import type { SharedLinkSession } from '../../../access/session.ts';
import { conflict } from '../../../core/errors.ts';
import { reach } from '../../../core/fault.ts';
import { toHex } from '../../../core/hash.ts';
import { derivedName } from '../../../core/paths.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueueAll, type Need, need } from '../../../jobs/queue.ts';
import type { MediaType } from '../../../media/formats.ts';
import {
  type Digests,
  hasOriginal,
  type Incoming,
  publishOriginal,
} from '../../../media/originals.ts';
import { attachVideo, readMetadata, renderImage, renderVideo } from '../../assets/index.ts';
import { restoreUploaded } from '../../trash/index.ts';
import type { UploadFields } from '../form/fields.ts';
import type { Uploaded } from '../schemas.ts';
import { quotaExceeded } from './space.ts';
import * as store from './publish.store.ts';

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
  // A guest does not learn what the owner has: only what his link shows is told apart from the new.
  if (ctx.session.kind === 'sharedLink') return publishForGuest(ctx, ownerId, account, candidate);
  const sha1 = toHex(candidate.digests.sha1);
  const known = await findDuplicate(ctx, ownerId, sha1);
  if (known) return duplicate(ctx, known, candidate, note);

  await syncFiles(candidate);
  const asset = newAsset(ctx, ownerId, account, candidate);
  const created = { id: asset.id, status: 'created' } as const;
  const isNew = await inTransaction(ctx, async (ctx) => {
    const items = [{ asset, candidate }];
    const doubted = await insertAssets(ctx, account, items);
    if (!doubted) return false;
    await note(ctx.db, created);
    await publishFiles(ctx, items, doubted);
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

/** Of bytes that the owner has elsewhere this makes a copy: it takes as long and answers as any other. */
async function publishForGuest(
  ctx: Ctx,
  ownerId: string,
  account: store.Account,
  candidate: Candidate,
): Promise<Uploaded> {
  await syncFiles(candidate);
  const asset = newAsset(ctx, ownerId, account, candidate);
  const uploaded = await inTransaction(ctx, async (ctx): Promise<Uploaded> => {
    const { digests, file } = candidate;
    const doubted = await lockOriginals(ctx.db, [digests]);
    const link = ctx.session as SharedLinkSession;
    const shownId = await store.findShown(ctx.db, link, digests.sha256);
    if (shownId) {
      await publishOriginals(ctx, [{ file, digests }], doubted);
      return { id: shownId, status: 'duplicate' };
    }
    const items = [{ asset, candidate }];
    await insertAssets(ctx, account, items);
    await publishFiles(ctx, items, doubted);
    return { id: asset.id, status: 'created' };
  });
  reach('asset.committed');
  return uploaded;
}

async function syncFiles({ file, sidecar }: Candidate): Promise<void> {
  await file.sync();
  await sidecar?.file.sync();
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

/** Whether a client may be told that it need not send these bytes: it may delete its own then. */
export const isStored = async (
  { paths }: Pick<Ctx, 'paths'>,
  known: Pick<store.Known, 'isDoubted' | 'sha256' | 'size'>,
): Promise<boolean> => !known.isDoubted && (await hasOriginal(paths, known));

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
  await restoreIfLost(ctx, known, candidate);
  if (note === nothing) return answerDuplicate(ctx, known);
  return inTransaction(ctx, async (ctx) => {
    const found = await answerDuplicate(ctx, known);
    await note(ctx.db, found);
    return found;
  });
}

/** Who uploads a file again wants it: it does not stay in the trash. */
export async function answerDuplicate(ctx: Ctx, known: store.Known): Promise<Uploaded> {
  const isRestored = known.isTrashed && (await restoreUploaded(ctx, known.id));
  return { id: known.id, status: 'duplicate', ...(isRestored && { isTrashed: true }) };
}

/** The library knows these bytes and has lost or damaged them: here they are again. */
export async function restoreIfLost(
  ctx: Ctx,
  known: store.Known,
  { file, digests }: Pick<Candidate, 'file' | 'digests'>,
): Promise<void> {
  if (await isStored(ctx, known)) return;
  await file.sync();
  await inTransaction(ctx, async (ctx) => {
    const doubted = await lockOriginals(ctx.db, [digests]);
    await publishOriginals(ctx, [{ file, digests }], doubted);
    // What could not be made from the damaged file can be made now.
    for (const asset of await store.findAssetsOf(ctx.db, digests.sha256)) {
      await enqueueAll(ctx.db, jobsFor(asset));
    }
  });
  ctx.log.warn('a lost or damaged original was uploaded again', { sha256: toHex(digests.sha256) });
}

/** What guests may not decide about the owner's library stays as it is by default. */
export function newAsset(
  ctx: Ctx,
  ownerId: string,
  { timeZone }: store.Account,
  { digests, fields, fileName, type }: Candidate,
): store.NewAsset {
  const { session } = ctx;
  const isGuest = session.kind === 'sharedLink';
  const visibility = isGuest ? 'timeline' : fields.visibility;
  return {
    id: randomUUID(),
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

/** Hex digests of originals whose file a check found missing or damaged. */
export type Doubted = ReadonlySet<string>;

/**
 * All rows of assets of one owner. The files come last, by publishFiles: they get their names under
 * the locks on the originals (src/media/originals.ts). Undefined when the owner has one of them by now;
 * the transaction is then only good for that knowledge.
 */
export async function insertAssets(
  ctx: Ctx,
  account: store.Account,
  items: readonly NewItem[],
): Promise<Doubted | undefined> {
  const { db, session } = ctx;
  const [first] = items;
  const ids = new Set(items.map(({ asset }) => asset.id));
  const originals = items.map(({ candidate }) => candidate.digests);
  const doubted = await lockOriginals(db, originals);
  const quota =
    account.quotaBytes === null ? null : await store.lockQuota(db, first!.asset.ownerId);
  for (const { asset, candidate } of items) {
    if (asset.liveVideoId && !ids.has(asset.liveVideoId)) await linkLiveVideo(ctx, asset);
    if (!(await insertAsset(ctx, asset))) return undefined;
    // Key-value data is for the programs of the owner.
    if (session.kind === 'user') {
      await store.insertMetadata(db, asset.id, candidate.fields.metadata);
    } else await store.addToLink(db, session, asset.id);
    await enqueueAll(db, jobsFor(asset));
  }
  if (quota !== null && (await store.usedBytes(db, first!.asset.ownerId)) > quota) {
    throw quotaExceeded();
  }
  reach('asset.inserted');
  return doubted;
}

/** False when the owner has these bytes, and nobody may bring them twice but a guest. */
async function insertAsset({ db, session }: Ctx, asset: store.NewAsset): Promise<boolean> {
  if (await store.insertAsset(db, asset)) return true;
  if (session.kind === 'user') return false;
  await store.insertCopy(db, asset);
  return true;
}

function jobsFor({ id: assetId, type }: Pick<store.NewAsset, 'id' | 'type'>): Need[] {
  const read = need(readMetadata, { assetId });
  if (type === 'IMAGE') return [read, need(renderImage, { assetId })];
  return type === 'VIDEO' ? [read, need(renderVideo, { assetId })] : [read];
}

/** In one order for everybody, so that two who take in the same pair of files wait, not deadlock. */
async function lockOriginals(db: Db, originals: readonly Digests[]): Promise<Doubted> {
  const inOrder = originals.toSorted((a, b) => Buffer.compare(a.sha256, b.sha256));
  const doubted = new Set<string>();
  for (const { sha256, size } of inOrder) {
    const found = await store.lockOriginal(db, sha256, size);
    if (found.size !== size) {
      throw new Error(`original ${toHex(sha256)} is on record with another size`);
    }
    if (found.isDoubted) doubted.add(toHex(sha256));
  }
  return doubted;
}

async function linkLiveVideo(ctx: Ctx, asset: store.NewAsset): Promise<void> {
  if (!asset.liveVideoId) return;
  const { liveVideoId, ownerId, lockedAt = null, uploadLinkId = null } = asset;
  // The still has just come: it is not in the trash, and so neither is its video.
  await attachVideo(ctx, liveVideoId, { ownerId, lockedAt, uploadLinkId, trashedAt: null });
}

/** Last before the commit. */
export async function publishFiles(
  ctx: Ctx,
  items: readonly NewItem[],
  doubted: Doubted,
): Promise<void> {
  for (const { asset, candidate } of items) await publishSidecar(ctx, asset.id, candidate);
  await publishOriginals(
    ctx,
    items.map(({ candidate }) => candidate),
    doubted,
  );
}

async function publishOriginals(
  { db, paths }: Ctx,
  files: readonly Pick<Candidate, 'file' | 'digests'>[],
  doubted: Doubted,
): Promise<void> {
  for (const { file, digests } of files) {
    const isDoubted = doubted.has(toHex(digests.sha256));
    if (isDoubted) await store.clearDoubt(db, digests.sha256);
    await publishOriginal(paths, file, digests.sha256, { isDoubted });
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
