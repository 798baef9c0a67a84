import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { visibleAmong } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { type Ctx, inTransaction } from '../../core/context.ts';
import { badRequest, conflict, forbidden, noAccess } from '../../core/errors.ts';
import { reach } from '../../core/fault.ts';
import { toHex } from '../../core/hash.ts';
import { derivedName } from '../../core/paths.ts';
import { enqueue } from '../../jobs/queue.ts';
import {
  type Digests,
  findOriginal,
  type Incoming,
  publishOriginal,
} from '../../media/originals.ts';
import { readMetadata, renderImage, renderVideo } from '../assets/index.ts';
import type { Form } from './multipart.ts';
import { type Received, receive } from './receive.ts';
import type { Uploaded } from './schemas.ts';
import { asSpaceError, ensureSpace, quotaExceeded } from './space.ts';
import * as store from './store.ts';

export type Upload = Form & {
  /** What the client says its file has: SHA-1 in hex. */
  readonly sha1: string | undefined;
  /** Of the whole body, in bytes. */
  readonly length: number | undefined;
};

/** Parts of a form that are not the file: at most the sidecar and some text. */
const FORM_SLACK_BYTES = 12 * 1024 ** 2;

/** Returns when the asset survives a power loss, or throws and has kept nothing. */
export async function uploadAsset(ctx: Ctx, upload: Upload): Promise<Uploaded> {
  const ownerId = ownerOf(ctx.session);
  const account = await store.findAccount(ctx.db, ownerId);
  if (!account) throw forbidden('Forbidden');
  const known = upload.sha1 && (await findDuplicate(ctx, ownerId, upload.sha1));
  if (known && (await maySkip(ctx, known))) return { id: known.id, status: 'duplicate' };

  const length = upload.length ?? 0;
  await ensureSpace(ctx, length);
  const maxBytes =
    account.quotaBytes === null
      ? Infinity
      : account.quotaBytes - (await store.usedBytes(ctx.db, ownerId));
  if (length - FORM_SLACK_BYTES > maxBytes) throw quotaExceeded();
  try {
    return await receive(ctx, upload, maxBytes, async (received) => {
      if (upload.sha1 && upload.sha1 !== toHex(received.digests.sha1)) {
        throw badRequest('The file does not have the checksum that was given for it');
      }
      return keep(ctx, ownerId, account, received);
    });
  } catch (error) {
    throw asSpaceError(error);
  }
}

const ownerOf = (session: Session): string =>
  session.kind === 'user' ? session.userId : session.ownerId;

async function findDuplicate(ctx: Ctx, ownerId: string, sha1: string) {
  const [known] = await store.findKnown(ctx.db, ownerId, [sha1]);
  return known;
}

/** A guest who names a checksum has not shown that he has the file: nothing new opens to him. */
const maySkip = async (ctx: Ctx, known: store.Known): Promise<boolean> =>
  ctx.session.kind === 'user' || (await visibleAmong(ctx.db, ctx.session, [known.id])).size > 0;

async function keep(
  ctx: Ctx,
  ownerId: string,
  account: store.Account,
  received: Received,
): Promise<Uploaded> {
  const sha1 = toHex(received.digests.sha1);
  const known = await findDuplicate(ctx, ownerId, sha1);
  if (known) return duplicate(ctx, known, received);

  await received.file.sync();
  await received.sidecar?.file.sync();
  const asset = newAsset(ctx, ownerId, account, received);
  const isNew = await inTransaction(ctx, (ctx) => insert(ctx, asset, account, received));
  if (isNew) {
    reach('asset.committed');
    return { id: asset.id, status: 'created' };
  }
  const winner = await findDuplicate(ctx, ownerId, sha1);
  // It came and went meanwhile: the client will ask again.
  if (!winner) throw conflict('The same file was uploaded and deleted at this moment');
  return duplicate(ctx, winner, received);
}

async function duplicate(ctx: Ctx, known: store.Known, received: Received): Promise<Uploaded> {
  const { digests, file } = received;
  // Two files can be made to have one SHA-1. To call them the same would lose one of them.
  if (toHex(known.sha256) !== toHex(digests.sha256)) {
    throw conflict('Another file with the same SHA-1 is in the library');
  }
  if (!(await findOriginal(ctx.paths, digests.sha256))) await restore(ctx, file, digests);
  const { session } = ctx;
  if (session.kind === 'sharedLink' && !known.isLocked && !known.isTrashed) {
    await inTransaction(ctx, ({ db }) => store.addToLink(db, session, known.id));
  }
  return { id: known.id, status: 'duplicate' };
}

/** The library knows these bytes and has lost them: here they are again. */
async function restore(ctx: Ctx, file: Incoming, { sha256, size }: Digests): Promise<void> {
  await file.sync();
  await inTransaction(ctx, async ({ db, paths }) => {
    await store.lockOriginal(db, sha256, size);
    await publishOriginal(paths, file, sha256);
  });
  ctx.log.warn('a lost original was uploaded again', { sha256: toHex(sha256) });
}

/** What guests may not decide about the owner's library stays as it is by default. */
function newAsset(
  ctx: Ctx,
  ownerId: string,
  { timeZone }: store.Account,
  { digests, fields, fileName, type }: Received,
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

/**
 * All of the asset, and the files last: they get their names under the lock on the original
 * (src/media/originals.ts). False when the owner has these bytes by now.
 */
async function insert(
  ctx: Ctx,
  asset: store.NewAsset,
  account: store.Account,
  received: Received,
): Promise<boolean> {
  const { db, session } = ctx;
  const { sha256, size } = received.digests;
  if ((await store.lockOriginal(db, sha256, size)) !== size) {
    throw new Error(`original ${toHex(sha256)} is on record with another size`);
  }
  const quota = account.quotaBytes === null ? null : await store.lockQuota(db, asset.ownerId);
  await linkLiveVideo(ctx, asset);
  if (!(await store.insertAsset(db, asset))) return false;
  if (quota !== null && (await store.usedBytes(db, asset.ownerId)) > quota) throw quotaExceeded();

  await store.insertMetadata(db, asset.id, received.fields.metadata);
  if (session.kind === 'sharedLink') await store.addToLink(db, session, asset.id);
  await enqueue(db, readMetadata, { assetId: asset.id });
  if (asset.type === 'IMAGE') await enqueue(db, renderImage, { assetId: asset.id });
  if (asset.type === 'VIDEO') await enqueue(db, renderVideo, { assetId: asset.id });
  reach('asset.inserted');
  await publishSidecar(ctx, asset.id, received);
  await publishOriginal(ctx.paths, received.file, sha256);
  return true;
}

async function linkLiveVideo(ctx: Ctx, asset: store.NewAsset): Promise<void> {
  if (!asset.liveVideoId) return;
  const { liveVideoId: id, ownerId, lockedAt = null } = asset;
  if (await store.hideLiveVideo(ctx.db, ctx.session, { id, ownerId, lockedAt })) return;
  throw noAccess('asset.update');
}

async function publishSidecar(ctx: Ctx, assetId: string, { sidecar }: Received): Promise<void> {
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
