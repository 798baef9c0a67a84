import { requireUser, ownedAmong } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, conflict, invalidField } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import { keepLimits } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { insertChosen } from '../../operations/batches.store.ts';
import * as store from '../../operations/store.ts';
import { runArchive } from './jobs.ts';
import { archiveKind, type ArchiveOperation } from './kind.ts';
import type { Creation, Operation, ArchiveStatus } from './schemas.ts';
import { freezeTimeline } from './store.ts';
import type { OperationState } from '../../db/tables/operations.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

const operationNotFound = () =>
  new AppError('notFound', 'Archive operation not found', { detail: { code: 'not_found' } });
const invalidState = (operation: ArchiveOperation) =>
  conflict(`Not possible while the operation is ${getStatus(operation)}`, {
    code: 'invalid_state',
  });

export async function listOperations(ctx: Ctx): Promise<Operation[]> {
  const { userId } = requireUser(ctx.session);
  await store.expireOperations(ctx.db, [archiveKind], ctx.now(), userId);
  return (await store.listOperations(ctx.db, archiveKind, userId, store.KEPT)).map(toOperation);
}

export async function getOperation(ctx: Ctx, id: string): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  await store.expireOperations(ctx.db, [archiveKind], ctx.now(), userId);
  const operation = await store.findOperation(ctx.db, archiveKind, { accountId: userId, id });
  if (!operation) throw operationNotFound();
  return toOperation(operation);
}

/** Freezes the whole timeline as an operation that waits for its confirmation. */
export async function prepareOperation(ctx: Ctx, requestId?: string): Promise<Operation> {
  const expiresAt = new Date(ctx.now().getTime() + LIFETIME_MS);
  const payload = { source: 'timeline' } as const;
  return createOnce(ctx, { payload, state: 'prepared', requestId, expiresAt }, freezeTimeline);
}

/** Freezes a selection and starts at once. Throws 400 unless all are the caller's own. */
export async function createOperation(ctx: Ctx, creation: Creation): Promise<Operation> {
  const { assetIds, requestId } = creation;
  const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
  if (ids.length !== assetIds.length) throw invalidField('assetIds', 'Ids must be unique');
  const payload = { source: 'selection' } as const;
  return createOnce(ctx, { payload, requestId }, async (ctx, operationId) => {
    if ((await ownedAmong(ctx.db, ctx.session, ids)).size !== ids.length) {
      throw badRequest('Not found or no asset.update access', { code: 'no_access' });
    }
    await insertChosen(ctx.db, operationId, ids);
    await enqueue(ctx.db, runArchive, { operationId });
    return ids.length;
  });
}

type Order = Omit<store.NewOperation<ArchiveOperation['payload']>, 'accountId' | 'createdAt'>;

/** Creates the operation with the items that `freeze` saves, or returns that of an earlier request with this id. */
async function createOnce(
  ctx: Ctx,
  order: Order,
  freeze: (ctx: Ctx, operationId: string) => Promise<number>,
): Promise<Operation> {
  const { userId: accountId } = requireUser(ctx.session);
  await store.expireOperations(ctx.db, [archiveKind], ctx.now(), accountId);
  const limits = ['archiveOperation', 'archiveBatch'] as const;
  return keepLimits(ctx, limits, { ownerId: accountId }, async (ctx) => {
    const values = { ...order, accountId, createdAt: ctx.now() };
    const created = await store.insertOnce(ctx.db, archiveKind, values);
    if (created) {
      const total = await freeze(ctx, created.id);
      return toOperation(await store.updateOperation(ctx.db, archiveKind, created, { total }));
    }
    const by = { accountId, requestId: requireValue(order.requestId, 'id of the request') };
    const known = await store.findOperation(ctx.db, archiveKind, by);
    if (known?.payload.source !== order.payload.source) {
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
  return changeLocked(ctx, id, async (ctx, operation) => {
    const { state, total, progress } = operation;
    // A repeated request confirms again.
    const isRepeated =
      progress.confirmedAt !== null && ['queued', 'running', 'completed', 'failed'].includes(state);
    if (!isRepeated && !canConfirm(operation)) throw invalidState(operation);
    if (expectedCount !== total) {
      throw conflict(`There are ${total} items`, { code: 'count_mismatch' });
    }
    if (isRepeated) return operation;
    await enqueue(ctx.db, runArchive, { operationId: id });
    return store.updateOperation(ctx.db, archiveKind, operation, {
      state: 'queued',
      expiresAt: null,
      progress: { ...progress, confirmedAt: ctx.now().toISOString() },
    });
  });
}

export async function undoOperation(
  ctx: Ctx,
  id: string,
  expectedRevision?: number,
): Promise<Operation> {
  return changeLocked(ctx, id, async (ctx, operation) => {
    const { state, revision } = operation;
    if (['cancelling', 'undoing', 'undone'].includes(state)) return operation;
    if (!canUndo(operation)) throw invalidState(operation);
    if (expectedRevision !== undefined && expectedRevision !== revision) {
      throw conflict('The operation has changed', {
        code: 'stale_revision',
        currentRevision: revision,
      });
    }
    const now = ctx.now().toISOString();
    const progress = { ...operation.progress, undoRequestedAt: now };
    if (state === 'prepared') {
      return store.updateOperation(ctx.db, archiveKind, operation, {
        state: 'undone',
        expiresAt: null,
        progress: { ...progress, undoneAt: now },
      });
    }
    await enqueue(ctx.db, runArchive, { operationId: id });
    return store.updateOperation(ctx.db, archiveKind, operation, {
      state: state === 'running' ? 'cancelling' : 'undoing',
      progress,
    });
  });
}

/** Changes an operation under lock, so that the job is between two batches. Throws 404. */
async function changeLocked(
  ctx: Ctx,
  id: string,
  work: (ctx: Ctx, operation: ArchiveOperation) => Promise<ArchiveOperation>,
): Promise<Operation> {
  const { userId } = requireUser(ctx.session);
  // In its own transaction: the expiry must persist when the change is refused.
  await store.expireOperations(ctx.db, [archiveKind], ctx.now(), userId);
  return inTransaction(ctx, async (ctx) => {
    const operation = await store.lockOperation(ctx.db, archiveKind, id);
    if (operation?.accountId !== userId) throw operationNotFound();
    return toOperation(await work(ctx, operation));
  });
}

/** The states of an operation by their names for clients: one that is cancelled is undone. */
const STATUSES: Readonly<Record<Exclude<OperationState, 'cancelled'>, ArchiveStatus>> = {
  prepared: 'prepared',
  queued: 'queued',
  running: 'running',
  cancelling: 'stopping',
  undoing: 'undoing',
  completed: 'completed',
  failed: 'failed',
  undone: 'undone',
  expired: 'expired',
};

const getStatus = ({ state }: Pick<ArchiveOperation, 'state'>): ArchiveStatus =>
  state === 'cancelled' ? 'undone' : STATUSES[state];

type State = Pick<ArchiveOperation, 'state'>;

const canConfirm = ({ state }: State): boolean => state === 'prepared';

const canUndo = ({ state }: State): boolean =>
  ['prepared', 'queued', 'running', 'completed', 'failed'].includes(state);

const instant = (date: Date | null): string | null => date && date.toISOString();

function toOperation(operation: ArchiveOperation): Operation {
  const { progress, payload } = operation;
  return {
    id: operation.id,
    source: payload.source,
    status: getStatus(operation),
    revision: operation.revision,
    total: operation.total,
    processed: progress.archived + progress.skipped,
    archived: progress.archived,
    skipped: progress.skipped,
    // Batches are atomic: operations fail, items do not.
    failed: 0,
    restored: progress.restored,
    kept: progress.kept,
    canConfirm: canConfirm(operation),
    canUndo: canUndo(operation),
    createdAt: operation.createdAt.toISOString(),
    confirmedAt: progress.confirmedAt,
    startedAt: instant(operation.startedAt),
    finishedAt: instant(operation.finishedAt),
    undoRequestedAt: progress.undoRequestedAt,
    undoneAt: progress.undoneAt,
    expiresAt: instant(operation.expiresAt),
    error: operation.error,
  };
}
