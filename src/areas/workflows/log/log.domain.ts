import { randomUUIDv7 } from 'bun';
import { ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { requireValue } from '../../../core/required.ts';
import { AppError, badRequest, conflict } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WorkflowRunRow } from '../../../db/tables/workflows.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { canRun } from '../definition.ts';
import { findOwnWorkflow, requireStepPermissions } from '../domain.ts';
import { advanceRuns } from '../../workflow-events/index.ts';
import type { WorkflowLogEntry, WorkflowLogsFilter } from '../schemas.ts';
import * as store from '../runs/run.store.ts';

/** Names only items that the caller sees: a log outlives that they were locked. */
export async function listLogs(
  ctx: Ctx,
  id: string,
  filter: WorkflowLogsFilter,
): Promise<WorkflowLogEntry[]> {
  const workflow = await findOwnWorkflow(ctx, id, 'workflow.logs');
  const rows = await store.listEntries(ctx.db, id, filter);
  const ids = [...new Set(rows.map((row) => row.assetId))];
  const visible = await ownedAmong(ctx.db, ctx.session, ids);
  const isAble = workflow.isEnabled && canRun(workflow.steps);
  return rows.map((row) => toEntry(row, { isVisible: visible.has(row.assetId), isAble }));
}

const toEntry = (
  row: WorkflowRunRow,
  { isVisible, isAble }: { readonly isVisible: boolean; readonly isAble: boolean },
): WorkflowLogEntry => ({
  id: row.id,
  at: requireValue(row.finishedAt, 'end of a run').toISOString(),
  result: requireValue(row.result, 'result of a run'),
  runId: row.runId,
  attempt: row.attempt,
  canRetry: isAble && isVisible,
  error: row.error,
  ...(isVisible && { triggerDataId: row.assetId }),
  ...(row.lastStep !== null &&
    row.lastMethod !== null && { lastStep: { index: row.lastStep, method: row.lastMethod } }),
});

/**
 * Runs a workflow again for the item of a run, as its next attempt. Throws 400 when the workflow cannot
 * run, 404 for an unknown run or item, 409 while an attempt is in progress.
 */
export async function retryRun(ctx: Ctx, id: string, runId: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const workflow = await findOwnWorkflow(ctx, id, 'workflow.update');
    requireStepPermissions(ctx, workflow);
    const last = await store.lockLatestAttempt(ctx.db, workflow.id, runId);
    if (!last) throw runNotFound();
    if (!workflow.isEnabled) throw invalidState('The workflow is disabled');
    if (!canRun(workflow.steps)) {
      throw invalidState('A step of the workflow does not exist, or its settings are not valid');
    }
    if (last.result === null) {
      throw conflict('The run is still in progress', { code: 'concurrent_request' });
    }
    if (!(await ownedAmong(ctx.db, ctx.session, [last.assetId])).has(last.assetId)) {
      throw invalidState('The item of the run is not there any more');
    }
    await store.insertRuns(ctx.db, [
      {
        id: randomUUIDv7(),
        runId,
        attempt: last.attempt + 1,
        workflowId: workflow.id,
        assetId: last.assetId,
        depth: last.depth,
        isLogged: workflow.isLogging,
        createdAt: ctx.now(),
      },
    ]);
    await enqueue(ctx.db, advanceRuns, { assetId: last.assetId });
  });
}

const runNotFound = () =>
  new AppError('notFound', 'Workflow run not found', { detail: { code: 'not_found' } });
const invalidState = (message: string) => badRequest(message, { code: 'invalid_state' });
