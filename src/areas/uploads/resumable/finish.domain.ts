import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Digests } from '../../../storage/index.ts';
import {
  completePartial,
  computePartialDigests,
  removePartial,
} from '../../../media/partial-file.ts';
import { type AssetUploadMetadata, toUploadFields, getNameAndType } from './asset-metadata.ts';
import { saveUpload } from './ownership.ts';
import { findParts, removeParts } from './part-copies.ts';
import { digestMismatch, toProblemResponse } from './problems.ts';
import { type Candidate } from '../publish/new-asset.domain.ts';
import { publishAsset } from '../publish/publish.domain.ts';
import type { Upload } from './resumable.store.ts';
import { findDigests, deleteDigests } from './running-digests.ts';
import { findAccount } from '../publish/publish.store.ts';
import { toResult } from './upload-view.ts';

/**
 * Verifies the digest of a complete upload and publishes it, unless it waits for the other half of a
 * live photo. Throws for quota and disk space; the client can then complete the upload again.
 */
export async function finishUpload(ctx: Ctx, upload: Upload): Promise<Upload> {
  const { id, offset } = upload;
  const digests = findDigests(id, offset) ?? (await computePartialDigests(ctx.paths, upload));
  if (Buffer.compare(digests.sha256, upload.sha256) !== 0) return failMismatch(ctx, upload);

  const isPaired = upload.publication === 'live-photo';
  const finished = isPaired
    ? await markVerified(ctx, upload, digests)
    : await publish(ctx, upload, digests);
  if (isPaired) deleteDigests(id);
  else await removeStaged(ctx, upload);
  return finished;
}

/** Deletes the bytes of an upload that is over. */
export async function removeStaged(ctx: Ctx, upload: Upload): Promise<void> {
  deleteDigests(upload.id);
  await removePartial(ctx.paths, upload);
  await removeParts(ctx, upload);
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
  const failed = await saveUpload(ctx, ctx.db, upload, set);
  await removeStaged(ctx, upload);
  return failed;
}

async function markVerified(ctx: Ctx, upload: Upload, digests: Digests): Promise<Upload> {
  await completePartial(ctx.paths, upload, digests.size).sync();
  const verified = { ...upload, status: 'verified' } as const;
  return saveUpload(ctx, ctx.db, upload, {
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
  const partKeys = (await findParts(ctx, upload)).map(({ key }) => key);
  const candidate = {
    ...toCandidate(ctx, upload, digests),
    partKeys: partKeys.length > 0 ? partKeys : undefined,
  };
  let finished = upload;
  await publishAsset(ctx, userId, account, candidate, async (db, { id: assetId, status }) => {
    const isNew = status === 'created';
    // 202 because metadata and thumbnails are still to come.
    const result = { ...upload, status: isNew ? 'verified' : 'duplicate', assetId } as const;
    finished = await saveUpload(ctx, db, upload, {
      status: isNew ? 'published' : 'duplicate',
      sha1: digests.sha1,
      assetId,
      finalStatus: isNew ? 202 : 200,
      finalBody: toResult(result),
    });
  });
  return finished;
}

export function toCandidate(
  { paths }: Pick<Ctx, 'paths'>,
  upload: Upload,
  digests: Digests,
): Candidate {
  const fields = upload.metadata as AssetUploadMetadata;
  return {
    file: completePartial(paths, upload, digests.size),
    digests,
    fields: toUploadFields(fields),
    ...getNameAndType(fields),
  };
}
