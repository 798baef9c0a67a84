import { requireUser, ownedAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, conflict, invalidField } from '../../core/errors.ts';
import type { ArchiveOperationRow } from '../../db/tables/archive.ts';
import { keepLimits } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { runArchive } from './jobs.ts';
import type { Creation, Operation } from './schemas.ts';
import { canConfirm, canUndo, toOperation } from './operation-view.ts';
import * as store from './store.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;
/** Items per batch, which is one transaction of the job. */
const BATCH_SIZE = 500;

const operationNotFound = () =>
  new AppError('notFound', 'Archive operation not found', { detail: { code: 'not_found' } });
const invalidState = (status: string) =>
  conflict(`Not possible while the operation is ${status}`, { code: 'invalid_state' });

export async function listOperations(ctx: Ctx): Promise<Operation[]> {
  const { userId } = requireUser(ctx.session);
  await store.expirePrepared(ctx.db, ctx.now(), userId);
  return (await store.listLatest(ctx.db, userId)).map(toOperation);
}

export async function getOperation(ctx: Ctx, id: string): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  await store.expirePrepared(ctx.db, ctx.now(), userId);
  const row = await store.findOwn(ctx.db, userId, id);
  if (!row) throw operationNotFound();
  return toOperation(row);
}

/** Freezes the whole timeline as an operation that waits for its confirmation. */
export async function prepareOperation(ctx: Ctx, requestId?: string): Promise<Operation> {
  const expiresAt = new Date(ctx.now().getTime() + LIFETIME_MS);
  const start = { source: 'timeline', status: 'prepared', expiresAt } as const;
  return createIdempotently(ctx, requestId, start, (ctx, operationId) =>
    store.freezeTimeline(ctx, { operationId, size: BATCH_SIZE }),
  );
}

/** Freezes a selection and starts at once. Throws 400 unless all are the caller's own. */
export async function createOperation(ctx: Ctx, creation: Creation): Promise<Operation> {
  const { assetIds, requestId } = creation;
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if (ids.length !== assetIds.length) throw invalidField('assetIds', 'Ids must be unique');
  const start = { source: 'selection', status: 'queued', expiresAt: null } as const;
  return createIdempotently(ctx, requestId, start, async (ctx, operationId) => {
    if ((await ownedAmong(ctx.db, ctx.session, ids)).size !== ids.length) {
      throw badRequest('Not found or no asset.update access', { code: 'no_access' });
    }
    await store.freezeSelection(ctx.db, ids, { operationId, size: BATCH_SIZE });
    await enqueue(ctx.db, runArchive, { operationId });
    return ids.length;
  });
}

type InitialState = Pick<ArchiveOperationRow, 'source' | 'status' | 'expiresAt'>;

/** Creates the operation, or returns that of an earlier request with this id. */
async function createIdempotently(
  ctx: Ctx,
  requestId: string | undefined,
  start: InitialState,
  freeze: (ctx: Ctx, operationId: string) => Promise<number>,
): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  await store.expirePrepared(ctx.db, ctx.now(), userId);
  const limits = ['archiveOperation', 'archiveBatch'] as const;
  return keepLimits(ctx, limits, { ownerId: userId }, async (ctx) => {
    const id = await store.insertOperation(ctx.db, {
      ...start,
      userId,
      requestId: requestId ?? null,
      total: 0,
      createdAt: ctx.now(),
    });
    if (id) {
      const total = await freeze(ctx, id);
      const row = await store.findOwn(ctx.db, userId, id);
      return toOperation(await store.updateOperation(ctx.db, row!, { total }));
    }
    const known = await store.findByRequest(ctx.db, userId, requestId!);
    if (known?.source !== start.source) {
      throw invalidField('requestId', 'Already used for another kind of operation');
    }
    return toOperation(known);
  });
}

export async function confirmOperation(
  ctx: Ctx,
  id: string,
  expectedCount: number,
): Promise<Operation> {
  return changeLocked(ctx, id, async (ctx, row) => {
    // A repeated request confirms again.
    const isRepeated =
      row.confirmedAt !== null && ['queued', 'running', 'completed', 'failed'].includes(row.status);
    if (!isRepeated && !canConfirm(row)) throw invalidState(row.status);
    if (expectedCount !== row.total) {
      throw conflict(`There are ${row.total} items`, { code: 'count_mismatch' });
    }
    if (isRepeated) return row;
    await enqueue(ctx.db, runArchive, { operationId: id });
    return store.updateOperation(ctx.db, row, {
      status: 'queued',
      confirmedAt: ctx.now(),
      expiresAt: null,
    });
  });
}

export async function undoOperation(
  ctx: Ctx,
  id: string,
  expectedRevision?: number,
): Promise<Operation> {
  return changeLocked(ctx, id, async (ctx, row) => {
    if (['stopping', 'undoing', 'undone'].includes(row.status)) return row;
    if (!canUndo(row)) throw invalidState(row.status);
    if (expectedRevision !== undefined && expectedRevision !== row.revision) {
      throw conflict('The operation has changed', {
        code: 'stale_revision',
        currentRevision: row.revision,
      });
    }
    const now = ctx.now();
    if (row.status === 'prepared') {
      const undone = { status: 'undone', undoneAt: now, expiresAt: null } as const;
      return store.updateOperation(ctx.db, row, { ...undone, undoRequestedAt: now });
    }
    await enqueue(ctx.db, runArchive, { operationId: id });
    const status = row.status === 'running' ? 'stopping' : 'undoing';
    return store.updateOperation(ctx.db, row, { status, undoRequestedAt: now });
  });
}

/** Changes an operation under lock, so that the job is between two batches. Throws 404. */
async function changeLocked(
  ctx: Ctx,
  id: string,
  work: (ctx: Ctx, row: ArchiveOperationRow) => Promise<ArchiveOperationRow>,
): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  // In its own transaction: the expiry must persist when the change is refused.
  await store.expirePrepared(ctx.db, ctx.now(), userId);
  return inTransaction(ctx, async (ctx) => {
    const row = await store.lockOperation(ctx.db, id);
    if (row?.userId !== userId) throw operationNotFound();
    return toOperation(await work(ctx, row));
  });
}
