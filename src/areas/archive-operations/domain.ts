import { requireUser, ownedAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, conflict, invalidField } from '../../core/errors.ts';
import type { ArchiveOperationRow } from '../../db/tables/archive.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { workOnArchive } from './jobs.ts';
import type { Creation, Operation } from './schemas.ts';
import { canConfirm, canUndo, toOperation } from './operation.ts';
import * as store from './store.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;
/** Items to a batch: one transaction of the job. */
const BATCH = 500;

const unknown = () =>
  new AppError('notFound', 'Archive operation not found', { detail: { code: 'not_found' } });
const invalidState = (status: string) =>
  conflict(`Not possible while the operation is ${status}`, { code: 'invalid_state' });

export async function listOperations(ctx: Ctx): Promise<Operation[]> {
  const { userId } = requireUser(ctx.session);
  await store.expire(ctx.db, ctx.now(), userId);
  return (await store.listLatest(ctx.db, userId)).map(toOperation);
}

export async function getOperation(ctx: Ctx, id: string): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  await store.expire(ctx.db, ctx.now(), userId);
  const row = await store.findOwn(ctx.db, userId, id);
  if (!row) throw unknown();
  return toOperation(row);
}

/** Freezes the whole Timeline; nothing else happens until it is confirmed. */
export async function prepareOperation(ctx: Ctx, requestId?: string): Promise<Operation> {
  const expiresAt = new Date(ctx.now().getTime() + LIFETIME_MS);
  const start = { source: 'timeline', status: 'prepared', expiresAt } as const;
  return once(ctx, requestId, start, (ctx, operationId) =>
    store.freezeTimeline(ctx, { operationId, size: BATCH }),
  );
}

/** Freezes a selection and starts at once. One id that the caller may not change fails all of it. */
export async function createOperation(ctx: Ctx, creation: Creation): Promise<Operation> {
  const { assetIds, requestId } = creation;
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if (ids.length !== assetIds.length) throw invalidField('assetIds', 'Each id once');
  const start = { source: 'selection', status: 'queued', expiresAt: null } as const;
  return once(ctx, requestId, start, async (ctx, operationId) => {
    if ((await ownedAmong(ctx.db, ctx.session, ids)).size !== ids.length) {
      throw badRequest('Not found or no asset.update access', { code: 'no_access' });
    }
    await store.freezeSelection(ctx.db, ids, { operationId, size: BATCH });
    await enqueue(ctx.db, workOnArchive, { operationId });
    return ids.length;
  });
}

type Start = Pick<ArchiveOperationRow, 'source' | 'status' | 'expiresAt'>;

/** The same request again answers what it has become. */
async function once(
  ctx: Ctx,
  requestId: string | undefined,
  start: Start,
  freeze: (ctx: Ctx, operationId: string) => Promise<number>,
): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  await store.expire(ctx.db, ctx.now(), userId);
  return inTransaction(ctx, async (ctx) => {
    const id = await store.insert(ctx.db, {
      ...start,
      userId,
      requestId: requestId ?? null,
      total: 0,
      createdAt: ctx.now(),
    });
    if (id) {
      const total = await freeze(ctx, id);
      const row = await store.findOwn(ctx.db, userId, id);
      return toOperation(await store.update(ctx.db, row!, { total }));
    }
    const known = await store.findByRequest(ctx.db, userId, requestId!);
    if (known?.source !== start.source) {
      throw invalidField('requestId', 'Used for another kind of operation');
    }
    return toOperation(known);
  });
}

export async function confirmOperation(
  ctx: Ctx,
  id: string,
  expectedCount: number,
): Promise<Operation> {
  return change(ctx, id, async (ctx, row) => {
    // Confirmed before: also by a repeated request.
    const isRepeated =
      row.confirmedAt !== null && ['queued', 'running', 'completed', 'failed'].includes(row.status);
    if (!isRepeated && !canConfirm(row)) throw invalidState(row.status);
    if (expectedCount !== row.total) {
      throw conflict(`There are ${row.total} items`, { code: 'count_mismatch' });
    }
    if (isRepeated) return row;
    await enqueue(ctx.db, workOnArchive, { operationId: id });
    return store.update(ctx.db, row, {
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
  return change(ctx, id, async (ctx, row) => {
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
      return store.update(ctx.db, row, { ...undone, undoRequestedAt: now });
    }
    await enqueue(ctx.db, workOnArchive, { operationId: id });
    const status = row.status === 'running' ? 'stopping' : 'undoing';
    return store.update(ctx.db, row, { status, undoRequestedAt: now });
  });
}

/** Under lock, so that the job is between two batches. */
async function change(
  ctx: Ctx,
  id: string,
  work: (ctx: Ctx, row: ArchiveOperationRow) => Promise<ArchiveOperationRow>,
): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  // By itself: that it is too late stays true when the rest is refused.
  await store.expire(ctx.db, ctx.now(), userId);
  return inTransaction(ctx, async (ctx) => {
    const row = await store.lock(ctx.db, id);
    if (row?.userId !== userId) throw unknown();
    return toOperation(await work(ctx, row));
  });
}
