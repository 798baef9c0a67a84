import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Db } from '../../../db/client.ts';
import type { Digests } from '../../../media/originals.ts';
import {
  completePartial,
  computePartialDigests,
  removePartial,
} from '../../../media/partial-file.ts';
import { type AssetUploadMetadata, fieldsOf, nameAndType } from './asset-metadata.ts';
import { digestMismatch, noUpload, refusal } from './problems.ts';
import { type Candidate, publishAsset } from '../publish/publish.domain.ts';
import { type Upload, updateOpen } from './resumable.store.ts';
import { digestsOf, dropDigests } from './running-digests.ts';
import { findAccount } from '../publish/publish.store.ts';
import { toResult } from './upload-view.ts';

/**
 * All bytes are there: verifies them, and makes them an asset unless they wait for the other half of
 * a live photo. Throws what stands against it now (the quota, the disk); the upload can then be
 * completed again.
 */
export async function finishUpload(ctx: Ctx, upload: Upload): Promise<Upload> {
  const { id, offset } = upload;
  const digests = digestsOf(id, offset) ?? (await computePartialDigests(ctx.paths, id));
  if (Buffer.compare(digests.sha256, upload.sha256) !== 0) return refuseBytes(ctx, upload);

  const isPaired = upload.publication === 'live-photo';
  const finished = isPaired
    ? await keepVerified(ctx, upload, digests)
    : await publish(ctx, upload, digests);
  dropDigests(id);
  if (!isPaired) await removePartial(ctx.paths, id);
  return finished;
}

/** The answer is kept for a client that did not get it; the bytes are not. */
async function refuseBytes(ctx: Ctx, upload: Upload): Promise<Upload> {
  const mismatch = digestMismatch('Repr-Digest', 'sha-256', upload.sha256);
  const { status, body } = refusal(mismatch)!;
  const set = {
    status: 'failed',
    error: mismatch.message,
    finalStatus: status,
    finalBody: body,
  } as const;
  const failed = await settle(ctx, ctx.db, upload, set);
  dropDigests(upload.id);
  await removePartial(ctx.paths, upload.id);
  return failed;
}

async function keepVerified(ctx: Ctx, upload: Upload, digests: Digests): Promise<Upload> {
  await completePartial(ctx.paths, upload.id, digests.size).sync();
  const verified = { ...upload, status: 'verified' } as const;
  return settle(ctx, ctx.db, upload, {
    status: 'verified',
    sha1: digests.sha1,
    finalStatus: 202,
    finalBody: toResult(verified),
  });
}

async function publish(ctx: Ctx, upload: Upload, digests: Digests): Promise<Upload> {
  const { userId } = requireUser(ctx.session);
  // What was allowed at the beginning may have ended.
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  const candidate = candidateOf(ctx, upload, digests);
  let finished = upload;
  await publishAsset(ctx, userId, account, candidate, async (db, { id: assetId, status }) => {
    const isNew = status === 'created';
    // The work that makes it show (metadata, thumbnails) is still to come: 202.
    const told = { ...upload, status: isNew ? 'verified' : 'duplicate', assetId } as const;
    finished = await settle(ctx, db, upload, {
      status: isNew ? 'published' : 'duplicate',
      sha1: digests.sha1,
      assetId,
      finalStatus: isNew ? 202 : 200,
      finalBody: toResult(told),
    });
  });
  return finished;
}

export function candidateOf(
  { paths }: Pick<Ctx, 'paths'>,
  { id, metadata }: Upload,
  digests: Digests,
): Candidate {
  const given = metadata as AssetUploadMetadata;
  return {
    file: completePartial(paths, id, digests.size),
    digests,
    fields: fieldsOf(given),
    ...nameAndType(given),
  };
}

async function settle(
  { now }: Pick<Ctx, 'now'>,
  db: Db,
  upload: Upload,
  set: Partial<Upload>,
): Promise<Upload> {
  if (!(await updateOpen(db, upload.id, { ...set, updatedAt: now() }))) throw noUpload();
  return { ...upload, ...set };
}
