import { randomUUID } from 'node:crypto';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, forbidden, tooManyRequests } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { isFatal, uploadNotFound, requireSpace, quotaExceeded } from '../../../staging/errors.ts';
import * as staging from '../../../staging/staging.ts';
import { finishUpload } from './finish.domain.ts';
import {
  resolveLength,
  getContentLimit,
  requireCompleteLength,
  type ContentSource,
  receivePart,
} from './content-receiver.ts';
import {
  getUploadLimits,
  type UploadResponse,
  uploadExpired,
  NO_STORE,
  offsetMismatch,
  problem,
  toProblemResponse,
  toFinalResponse,
  isComplete,
  isRefused,
  toLengthHeader,
  toLocationHeader,
  toStateHeaders,
  toRefusal,
  toResumptionHeaders,
  toProgressHeaders,
  toResult,
} from './responses.ts';
import type { AppendRequest, ContentHeaders, CreateRequest } from './request.ts';
import * as store from './resumable.store.ts';
import type { Upload } from './resumable.store.ts';
import { findAccount, sumUsedBytes } from '../publish/publish.store.ts';

export type UploadConnection = Pick<ContentSource, 'transfer'> & {
  /** The client understands 104 responses, and no proxy is in between. */
  readonly canSendInterim: boolean;
};

/**
 * Creates an upload and receives the content of the request. Throws 429 with too many unfinished ones.
 */
export async function createUpload(
  ctx: Ctx,
  creation: CreateRequest,
  sender: UploadConnection,
): Promise<UploadResponse> {
  const upload = toNewUpload(ctx, creation);
  await requireCapacity(ctx, upload.length ?? 0);
  const { maxOpen } = getUploadLimits();
  await inTransaction(ctx, async (ctx) => {
    if (!(await store.insertUpload(ctx.db, upload, maxOpen)))
      throw tooManyRequests(`There are ${maxOpen} unfinished uploads already`, 60);
    await staging.joinOtherHalf(ctx, upload);
  });
  return staging.acquireUploadLock(
    upload.id,
    () => sender.transfer.drop(),
    (turn) => {
      if (sender.canSendInterim) sender.transfer.inform(toResumptionHeaders(upload, ctx.now()));
      return receiveContent(ctx, upload, creation, sender, turn);
    },
  );
}

function toNewUpload(ctx: Ctx, creation: CreateRequest): Upload {
  const { isLast, length, contentLength, sha256, mediaType, metadata } = creation;
  const now = ctx.now();
  const id = randomUUID();
  return {
    id,
    userId: requireUser(ctx.session).userId,
    status: 'incomplete',
    publication: metadata.publication ?? 'immediate',
    offset: 0,
    length: length ?? (isLast ? contentLength : undefined) ?? null,
    sha256,
    sha1: null,
    mediaType,
    metadata,
    assetId: null,
    error: null,
    finalStatus: null,
    finalBody: null,
    ...staging.begin(ctx.paths, id),
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + getUploadLimits().maxAgeMs),
  };
}

/**
 * Checks user, disk space and quota for a file of which `received` bytes are there, before its content is received; they
 * are checked again at the end.
 */
async function requireCapacity(ctx: Ctx, bytes: number, received = 0): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  await requireSpace(ctx, bytes - received);
  const { quotaBytes } = account;
  if (quotaBytes === null) return;
  if ((await sumUsedBytes(ctx.db, userId)) + bytes > quotaBytes) throw quotaExceeded();
}

/** Appends to an upload. An empty last part of a complete upload, and any of a refused one, gets the final response again. */
export async function appendUpload(
  ctx: Ctx,
  id: string,
  append: AppendRequest,
  sender: UploadConnection,
): Promise<UploadResponse> {
  await getOwnUpload(ctx, id);
  return staging.acquireUploadLock(
    id,
    () => sender.transfer.drop(),
    async (turn) => {
      if (turn.isInterrupted) throw conflict('Another request has come for this upload');
      const found = await getOwnUpload(ctx, id);
      const isEmptyEnd = append.isLast && append.contentLength === 0;
      const isRepeated = isComplete(found) && isEmptyEnd && append.offset === found.offset;
      if (isRepeated || isRefused(found)) {
        return toFinalResponse(found, ctx.now());
      }
      const upload = await prepareUpload(ctx, found);
      if (isComplete(upload) || append.offset !== upload.offset) {
        const { status, headers, body } = toProblemResponse(
          offsetMismatch(upload.offset, append.offset),
        );
        const state = { ...toStateHeaders(upload, ctx.now()), 'upload-complete': '?0' };
        return { status, headers: { ...state, ...headers }, body };
      }
      return receiveContent(ctx, upload, append, sender, turn);
    },
  );
}

/**
 * Returns the state of the upload, or its refusal. Interrupts a running transfer in any process, so that the offset stays
 * valid.
 */
export const getUpload = (ctx: Ctx, id: string, withBody: boolean): Promise<UploadResponse> =>
  withIdleUpload(ctx, id, async (upload) => {
    if (isRefused(upload)) return toRefusal(upload);
    const headers = { ...toStateHeaders(upload, ctx.now()), ...toLengthHeader(upload) };
    return withBody ? { status: 200, headers, body: toResult(upload) } : { status: 204, headers };
  });

/** Cancels an upload that is not an asset yet and interrupts a running transfer. Throws 409. */
export const cancelUpload = (ctx: Ctx, id: string): Promise<UploadResponse> =>
  withIdleUpload(ctx, id, async (upload) => {
    if (!(await store.cancelUpload(ctx.db, id, ctx.now()))) {
      throw problem('conflict', 'The upload is an asset already', { code: 'upload_published' });
    }
    await staging.remove(ctx, upload);
    return { status: 204, headers: NO_STORE };
  });

async function withIdleUpload(
  ctx: Ctx,
  id: string,
  work: (upload: Upload) => Promise<UploadResponse>,
): Promise<UploadResponse> {
  await getOwnUpload(ctx, id);
  return staging.acquireUploadLock(
    id,
    () => {},
    async () => {
      return work(await prepareUpload(ctx, await getOwnUpload(ctx, id)));
    },
  );
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Throws the same 404 for unknown, foreign, cancelled, failed and lost uploads; 410 for expired ones. */
async function getOwnUpload(ctx: Ctx, id: string): Promise<Upload> {
  const { userId } = requireUser(ctx.session);
  const upload = UUID.test(id) ? await store.findUpload(ctx.db, userId, id) : undefined;
  if (!upload) throw uploadNotFound();
  if (upload.expiresAt <= ctx.now()) throw uploadExpired();
  if (upload.status === 'cancelled') throw uploadNotFound();
  if (upload.status === 'failed' && !isComplete(upload)) throw uploadNotFound();
  // The half of a live photo is no item yet: its bytes wait for the other half.
  const isWaiting = !isComplete(upload) || upload.status === 'verified';
  if (isWaiting && (await staging.isLost(ctx, upload))) {
    await staging.fail(ctx, upload, 'The machine that had the bytes is gone');
    throw uploadNotFound();
  }
  return upload;
}

/** Returns a complete upload as it is, another one as its owner, with the offset of its file. */
async function prepareUpload(ctx: Ctx, upload: Upload): Promise<Upload> {
  if (isComplete(upload)) return upload;
  return (
    (await staging.claim(ctx, upload, getUploadLimits().maxBytes)) ?? getOwnUpload(ctx, upload.id)
  );
}

/** The common part of POST and PATCH, for an incomplete upload whose row and file agree. */
async function receiveContent(
  ctx: Ctx,
  initial: Upload,
  content: ContentHeaders,
  sender: UploadConnection,
  turn: staging.UploadLock,
): Promise<UploadResponse> {
  let upload = initial;
  const isNew = 'sha256' in content;
  const location = isNew ? toLocationHeader(upload) : {};
  try {
    const length = resolveLength(upload, content);
    // Not announced when the upload was created.
    if (length !== upload.length) await requireCapacity(ctx, length ?? 0, upload.offset);
    upload = await saveLength(ctx, upload, length);
    upload = await staging.prepare(ctx, upload);
    if (content.contentLength !== 0) {
      const { offset, failure } = await receivePart(
        ctx,
        upload,
        content,
        toContentSource(sender),
        getContentLimit(upload),
      );
      upload = { ...upload, offset };
      if (failure === 'cut') throw conflict('The connection was cut');
      if (failure) throw failure.error;
    }
    if (!content.isLast) {
      const headers = { ...toStateHeaders(upload, ctx.now()), ...location };
      return isNew ? { status: 201, headers, body: toResult(upload) } : { status: 204, headers };
    }
    turn.makeUninterruptible();
    upload = await saveLength(ctx, upload, requireCompleteLength(upload));
    const finished = await finishUpload(ctx, upload);
    return toFinalResponse(finished, ctx.now());
  } catch (caught) {
    const error = await staging.explainError(ctx, upload, caught);
    const isFailed = isFatal(error);
    if (isFailed) await staging.fail(ctx, upload, error.message);
    const state = { ...toStateHeaders(upload, ctx.now()), ...location };
    const answer = toProblemResponse(error, isFailed ? NO_STORE : state);
    if (!answer) throw error;
    return isFailed
      ? { ...answer, headers: { ...answer.headers, 'upload-complete': '?0' } }
      : answer;
  }
}

const toContentSource = ({
  transfer,
  canSendInterim: mayInform,
}: UploadConnection): ContentSource => ({
  transfer,
  reportOffset: mayInform ? (offset) => transfer.inform(toProgressHeaders(offset)) : undefined,
});

/** Saves the length, which is final. */
async function saveLength(ctx: Ctx, upload: Upload, length: number | null): Promise<Upload> {
  return length === upload.length ? upload : staging.save(ctx, ctx.db, upload, { length });
}
