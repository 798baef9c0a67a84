import { randomUUID } from 'node:crypto';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict, forbidden, tooManyRequests } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import {
  getBootId,
  getPartialSize,
  removePartial,
  syncPartial,
  truncatePartial,
} from '../../../media/partial-file.ts';
import { finishUpload } from './finish.domain.ts';
import { agreedLength, endOf, isFatal, wholeLength } from './lengths.ts';
import { uploadLimits } from '../limits.ts';
import {
  type Answer,
  expired,
  NO_STORE,
  noUpload,
  offsetMismatch,
  problem,
  refusal,
} from './problems.ts';
import { type Link, receivePart } from './receive-part.ts';
import type { Append, Content, Creation } from './request.ts';
import * as store from './resumable.store.ts';
import type { Upload } from './resumable.store.ts';
import { dropDigests } from './running-digests.ts';
import { ensureSpace, quotaExceeded } from '../publish/space.ts';
import { findAccount, usedBytes } from '../publish/publish.store.ts';
import { takeTurn, type Turn } from './upload-lock.ts';
import {
  finalAnswer,
  isComplete,
  lengthOf,
  locationHeader,
  stateOf,
  supportHeaders,
  progressHeaders,
  toResult,
} from './upload-view.ts';

/** The request as its connection shows it. */
export type Sender = Pick<Link, 'transfer'> & {
  /** The client understands interim answers, and they reach it. */
  readonly mayInform: boolean;
};

/** Begins an upload, and takes in what the request brings. */
export async function createUpload(ctx: Ctx, creation: Creation, sender: Sender): Promise<Answer> {
  const upload = newUpload(ctx, creation);
  await refuseUnfit(ctx, upload.length ?? 0);
  const { maxOpen } = uploadLimits();
  if (!(await inTransaction(ctx, ({ db }) => store.insertUpload(db, upload, maxOpen)))) {
    throw tooManyRequests(`There are ${maxOpen} unfinished uploads already`, 60);
  }
  return takeTurn(
    upload.id,
    () => sender.transfer.drop(),
    (turn) => {
      if (sender.mayInform) sender.transfer.inform(supportHeaders(upload, ctx.now()));
      return receiveContent(ctx, upload, creation, sender, turn);
    },
  );
}

function newUpload(ctx: Ctx, creation: Creation): Upload {
  const { isLast, length, contentLength, sha256, mediaType, metadata } = creation;
  const now = ctx.now();
  return {
    id: randomUUID(),
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
    bootId: getBootId(),
    createdAt: now,
    updatedAt: now,
    expiresAt: new Date(now.getTime() + uploadLimits().maxAgeMs),
  };
}

/** Before a byte is taken in; what is true then may have changed at the end. */
async function refuseUnfit(ctx: Ctx, bytes: number): Promise<void> {
  const { userId } = requireUser(ctx.session);
  const account = await findAccount(ctx.db, userId);
  if (!account) throw forbidden('Forbidden');
  await ensureSpace(ctx, bytes);
  const { quotaBytes } = account;
  if (quotaBytes === null) return;
  if ((await usedBytes(ctx.db, userId)) + bytes > quotaBytes) throw quotaExceeded();
}

/** Continues an upload. An empty last part of one that is complete gets its answer once more. */
export async function appendUpload(
  ctx: Ctx,
  id: string,
  append: Append,
  sender: Sender,
): Promise<Answer> {
  await findOwn(ctx, id);
  return takeTurn(
    id,
    () => sender.transfer.drop(),
    async (turn) => {
      if (turn.isOver) throw conflict('Another request has come for this upload');
      const found = await findOwn(ctx, id);
      const isEmptyEnd = append.isLast && append.contentLength === 0;
      if (isComplete(found) && isEmptyEnd && append.offset === found.offset) {
        return finalAnswer(found, ctx.now());
      }
      const upload = isComplete(found) ? found : await reconcile(ctx, found);
      if (isComplete(upload) || append.offset !== upload.offset) {
        const { status, headers, body } = refusal(offsetMismatch(upload.offset, append.offset))!;
        const state = { ...stateOf(upload, ctx.now()), 'upload-complete': '?0' };
        return { status, headers: { ...state, ...headers }, body };
      }
      return receiveContent(ctx, upload, append, sender, turn);
    },
  );
}

/** Where the upload stands. Ends a transfer that is under way, so that this stays true. */
export const showUpload = (ctx: Ctx, id: string, withBody: boolean): Promise<Answer> =>
  atRest(ctx, id, async (upload) => {
    const headers = { ...stateOf(upload, ctx.now()), ...lengthOf(upload) };
    return withBody ? { status: 200, headers, body: toResult(upload) } : { status: 204, headers };
  });

/** Gives an upload up that is no asset yet; a transfer that is under way is cut off. */
export const cancelUpload = (ctx: Ctx, id: string): Promise<Answer> =>
  atRest(ctx, id, async () => {
    if (!(await store.cancelUpload(ctx.db, id, ctx.now()))) {
      throw problem('conflict', 'The upload is an asset already', { code: 'upload_published' });
    }
    dropDigests(id);
    await removePartial(ctx.paths, id);
    return { status: 204, headers: NO_STORE };
  });

async function atRest(
  ctx: Ctx,
  id: string,
  work: (upload: Upload) => Promise<Answer>,
): Promise<Answer> {
  await findOwn(ctx, id);
  return takeTurn(
    id,
    () => {},
    async () => {
      const upload = await findOwn(ctx, id);
      return work(isComplete(upload) ? upload : await reconcile(ctx, upload));
    },
  );
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Throws the same for what is unknown, another's, cancelled or broken. */
async function findOwn(ctx: Ctx, id: string): Promise<Upload> {
  const { userId } = requireUser(ctx.session);
  const upload = UUID.test(id) ? await store.findUpload(ctx.db, userId, id) : undefined;
  if (!upload) throw noUpload();
  if (upload.expiresAt <= ctx.now()) throw expired();
  if (upload.status === 'cancelled') throw noUpload();
  if (upload.status === 'failed' && !isComplete(upload)) throw noUpload();
  return upload;
}

/** Makes row and file agree after a crash: no promise is broken, and nothing doubtful is kept. */
async function reconcile(ctx: Ctx, upload: Upload): Promise<Upload> {
  const { id, offset } = upload;
  const size = await getPartialSize(ctx.paths, id);
  if (size === offset) return upload;
  if (size < offset) {
    ctx.log.warn('an upload lost bytes that were promised', { id, offset, size });
    await giveUp(ctx, upload, 'The server has lost bytes of this upload');
    throw noUpload();
  }
  const isTrusted = upload.bootId === getBootId();
  const end = isTrusted ? Math.min(size, upload.length ?? uploadLimits().maxBytes) : offset;
  if (end < size) await truncatePartial(ctx.paths, id, end);
  else await syncPartial(ctx.paths, id);
  if (!(await store.updateOpen(ctx.db, id, { offset: end, updatedAt: ctx.now() }))) {
    throw noUpload();
  }
  return { ...upload, offset: end };
}

async function giveUp(ctx: Ctx, { id }: Upload, error: string): Promise<void> {
  await store.updateOpen(ctx.db, id, { status: 'failed', error, updatedAt: ctx.now() });
  dropDigests(id);
  await removePartial(ctx.paths, id);
}

/** The common part of POST and PATCH. The upload is incomplete, and its row and file agree. */
async function receiveContent(
  ctx: Ctx,
  given: Upload,
  content: Content,
  sender: Sender,
  turn: Turn,
): Promise<Answer> {
  let upload = given;
  const isNew = 'sha256' in content;
  const place = isNew ? locationHeader(upload) : {};
  try {
    upload = await withLength(ctx, upload, agreedLength(upload, content));
    if (content.contentLength !== 0) {
      const { offset, failure } = await receivePart(
        ctx,
        upload,
        content,
        linkOf(sender),
        endOf(upload),
      );
      upload = { ...upload, offset };
      if (failure === 'cut') throw conflict('The connection was cut');
      if (failure) throw failure.error;
    }
    if (!content.isLast) {
      const headers = { ...stateOf(upload, ctx.now()), ...place };
      return isNew ? { status: 201, headers, body: toResult(upload) } : { status: 204, headers };
    }
    turn.hold();
    upload = await withLength(ctx, upload, wholeLength(upload));
    const finished = await finishUpload(ctx, upload);
    return finalAnswer(finished, ctx.now());
  } catch (error) {
    const isDead = isFatal(error);
    if (isDead) await giveUp(ctx, upload, error.message);
    const state = { ...stateOf(upload, ctx.now()), ...place };
    const answer = refusal(error, isDead ? NO_STORE : state);
    if (!answer) throw error;
    return isDead ? { ...answer, headers: { ...answer.headers, 'upload-complete': '?0' } } : answer;
  }
}

const linkOf = ({ transfer, mayInform }: Sender): Link => ({
  transfer,
  inform: mayInform ? (offset) => transfer.inform(progressHeaders(offset)) : undefined,
});

/** From then on it cannot change, and nothing is written behind it. */
async function withLength(ctx: Ctx, upload: Upload, length: number | null): Promise<Upload> {
  if (length === upload.length) return upload;
  if (!(await store.updateOpen(ctx.db, upload.id, { length, updatedAt: ctx.now() }))) {
    throw noUpload();
  }
  return { ...upload, length };
}
