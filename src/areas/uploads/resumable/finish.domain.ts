import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Digests, Received } from '../../../storage/index.ts';
import type { Candidate } from '../publish/new-asset.domain.ts';
import { publishAsset } from '../publish/publish.domain.ts';
import { findAccount } from '../publish/publish.store.ts';
import * as staging from '../../../staging/staging.ts';
import { type AssetUploadMetadata, toUploadFields, getNameAndType } from './asset-metadata.ts';
import { digestMismatch, toProblemResponse, toResult } from './responses.ts';
import type { Upload } from './resumable.store.ts';

/**
 * Verifies the digest of a complete upload and publishes it, unless it waits for the other half of a
 * live photo. Throws for quota and disk space; the client can then complete the upload again.
 */
export async function finishUpload(ctx: Ctx, upload: Upload): Promise<Upload> {
  const digests = await staging.digest(ctx, upload);
  if (Buffer.compare(digests.sha256, upload.sha256) !== 0) return failMismatch(ctx, upload);
  if (upload.publication === 'live-photo') return markVerified(ctx, upload, digests);
  const finished = await publish(ctx, upload, digests);
  await staging.remove(ctx, upload);
  return finished;
}

/** Stores the refusal for a client that misses the response, and deletes the bytes. */
async function failMismatch(ctx: Ctx, upload: Upload): Promise<Upload> {
  const mismatch = digestMismatch('Repr-Digest', 'sha-256', upload.sha256);
  const { status, body } = toProblemResponse(mismatch);
  const set = {
    status: 'failed',
    error: mismatch.message,
    finalStatus: status,
    finalBody: body,
  } as const;
  const failed = await staging.save(ctx, ctx.db, upload, set);
  await staging.remove(ctx, upload);
  return failed;
}

async function markVerified(ctx: Ctx, upload: Upload, digests: Digests): Promise<Upload> {
  await staging.seal(ctx, upload, digests);
  const verified = { ...upload, status: 'verified' } as const;
  return staging.save(ctx, ctx.db, upload, {
    status: 'verified',
    sha1: digests.sha1,
    finalStatus: 202,
    finalBody: toResult(verified),
  });
}

async function publish(ctx: Ctx, upload: Upload, digests: Digests): Promise<Upload> {
  const { userId } = requireUser(ctx.session);
  // The user may have been deleted since the upload was created.
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  const candidate = toCandidate(upload, await staging.receive(ctx, upload, digests));
  let finished = upload;
  await publishAsset(ctx, userId, account, candidate, async (db, { id: assetId, status }) => {
    const isNew = status === 'created';
    // 202 because metadata and thumbnails are still to come.
    const result = { ...upload, status: isNew ? 'verified' : 'duplicate', assetId } as const;
    finished = await staging.save(ctx, db, upload, {
      status: isNew ? 'published' : 'duplicate',
      sha1: digests.sha1,
      assetId,
      finalStatus: isNew ? 202 : 200,
      finalBody: toResult(result),
    });
  });
  return finished;
}

export function toCandidate(upload: Upload, received: Received): Candidate {
  const fields = upload.metadata as AssetUploadMetadata;
  return { ...received, fields: toUploadFields(fields), ...getNameAndType(fields) };
}
