import { findAccountSession } from '../../../access/account-session.ts';
import type { Deps } from '../../../core/context.ts';
import { commitAsynchronously, inTransaction } from '../../../db/transaction.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { BATCH_SIZE } from '../../../operations/batches.store.ts';
import { lockOperation, updateOperation } from '../../../operations/store.ts';
import type { undoBackfill } from '../jobs.ts';
import { takeNextChanges } from './changes.store.ts';
import { undoKind } from './kind.ts';
import { takeBack } from './take-back.domain.ts';

export const handleUndoBackfill: JobHandler<typeof undoBackfill> = async (ctx, { operationId }) => {
  ctx.onFailed((db) => endOperation({ ...ctx, db }, operationId, FAILED));
  await runThrottled(ctx, () => undoNextBatch(ctx, operationId));
};

const FAILED = 'The undo failed, see the server log';
const isOpen = (state: string): boolean => state === 'queued' || state === 'running';

/**
 * Takes back the next changes and saves the progress, in one transaction: a crash neither repeats nor skips one. Returns
 * false when nothing is left.
 */
export const undoNextBatch = (deps: Deps, id: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const { db, now } = deps;
    const operation = await lockOperation(db, undoKind, id);
    if (!operation || !isOpen(operation.state)) return false;
    const { accountId, payload, progress, total } = operation;
    const session = await findAccountSession(db, accountId);
    if (!session) {
      await endOperation(deps, id, FAILED);
      return false;
    }
    const changes = await takeNextChanges(db, payload.backfillId, BATCH_SIZE);
    if (changes.length === 0) {
      const done = progress.restored + progress.changed;
      await updateOperation(db, undoKind, operation, {
        state: 'completed',
        finishedAt: now(),
        // Changes of items that were deleted are gone with them.
        progress: { ...progress, unavailable: Math.max(total - done, 0) },
      });
      return false;
    }
    await commitAsynchronously(db);
    const more = await takeBack({ ...deps, session }, changes);
    await updateOperation(db, undoKind, operation, {
      state: 'running',
      startedAt: operation.startedAt ?? now(),
      progress: {
        restored: progress.restored + more.restored,
        changed: progress.changed + more.changed,
        unavailable: progress.unavailable + more.unavailable,
      },
    });
    return true;
  });

/** Marks an undo as failed after the last attempt of its job. It can be asked for again. */
const endOperation = (deps: Deps, id: string, error: string): Promise<void> =>
  inTransaction(deps, async ({ db, now }) => {
    const operation = await lockOperation(db, undoKind, id);
    if (!operation || !isOpen(operation.state)) return;
    const change = { state: 'failed' as const, error, finishedAt: now() };
    await updateOperation(db, undoKind, operation, change);
  });
