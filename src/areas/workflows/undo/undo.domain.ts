import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { conflict } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { changeOperation, findOperation, insertOnce } from '../../../operations/store.ts';
import { findBackfill, hasEnded, toBackfill } from '../backfill/backfill.domain.ts';
import type { WorkflowBackfill } from '../backfill/backfill.schemas.ts';
import * as backfills from '../backfill/backfill.store.ts';
import { findOwnWorkflow } from '../domain.ts';
import { undoBackfill } from '../jobs.ts';
import { deleteUnfinishedRuns } from '../runs/run.store.ts';
import { countChanges } from './changes.store.ts';
import { undoKind, type UndoOperation } from './kind.ts';

/**
 * Takes back what a run that has ended has changed and nobody has changed since. What waits for recognition does not go
 * on. Asked for again, it returns the same undo; one that failed goes on. Throws 404 for a run that the caller does not
 * have, and 409 while it has not ended or when what it has changed is not known any more.
 */
export const startUndo = (ctx: Ctx, workflowId: string, id: string): Promise<WorkflowBackfill> =>
  inTransaction(ctx, async (ctx) => {
    const { userId: accountId } = requireUser(ctx.session);
    const { db } = ctx;
    const workflow = await findOwnWorkflow(ctx, workflowId, 'workflow.update');
    await backfills.lockBackfills(db, workflow.id);
    const before = await findBackfill(ctx, workflow.id, id);
    const known = await findOperation(db, undoKind, { accountId, requestId: id });
    if (known) await resume(ctx, known);
    else await start(ctx, accountId, before);
    return toBackfill(await findBackfill(ctx, workflow.id, id));
  });

async function resume({ db }: Ctx, { id: operationId }: UndoOperation): Promise<void> {
  const change = { state: 'queued' as const, error: null, finishedAt: null };
  const resumed = await changeOperation(db, [undoKind], operationId, ['failed'], change);
  if (resumed) await enqueue(db, undoBackfill, { operationId });
}

async function start(
  { db, now }: Ctx,
  accountId: string,
  backfill: backfills.BackfillView,
): Promise<void> {
  const { id: backfillId } = backfill;
  if (!hasEnded(backfill)) throw conflict('The run has not ended', INVALID);
  await deleteUnfinishedRuns(db, backfillId);
  const total = backfill.isUndoable ? await countChanges(db, backfillId) : 0;
  if (total === 0) throw conflict('The run has no changes that can be undone', INVALID);
  const operation = await insertOnce(db, undoKind, {
    accountId,
    createdAt: now(),
    payload: { backfillId },
    total,
    requestId: backfillId,
  });
  if (!operation) throw conflict('The run is undone already', INVALID);
  await backfills.markUndone(db, backfillId, now());
  await enqueue(db, undoBackfill, { operationId: operation.id });
}

const INVALID = { code: 'invalid_state' } as const;
