import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { AppError, badRequest, conflict } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { WorkflowRow } from '../../../db/tables/workflows.ts';
import { getCapabilities } from '../../../inference/capabilities.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { startRun } from '../../../jobs/runs.ts';
import { toInstant } from '../../assets/index.ts';
import { canRun } from '../definition.ts';
import { findOwnWorkflow, requireStepPermissions } from '../domain.ts';
import { continueBackfill } from '../jobs.ts';
import { compileWorkflow, listTasks } from '../runs/steps.ts';
import type { WorkflowBackfill, WorkflowBackfillUpdate } from './backfill.schemas.ts';
import * as store from './backfill.store.ts';
import { undoKind } from '../undo/kind.ts';

/** Returns the latest backfills of a workflow, newest first. */
export async function listBackfills(ctx: Ctx, workflowId: string): Promise<WorkflowBackfill[]> {
  const workflow = await findOwnWorkflow(ctx, workflowId, 'workflow.read');
  return (await store.listBackfills(ctx.db, workflow.id)).map(toBackfill);
}

/**
 * Starts a run of a workflow for the items of the library as they are now. Throws 400 when the workflow
 * cannot run, 409 while another of its backfills has not ended.
 */
export const startBackfill = (ctx: Ctx, workflowId: string): Promise<WorkflowBackfill> =>
  inTransaction(ctx, async (ctx) => {
    const user = requireUser(ctx.session);
    const workflow = await findOwnWorkflow(ctx, workflowId, 'workflow.update');
    requireStepPermissions(ctx, workflow);
    requireRunnable(ctx, workflow);
    await store.lockBackfills(ctx.db, workflow.id);
    const [latest] = await store.listBackfills(ctx.db, workflow.id);
    if (latest && !hasEnded(latest)) {
      throw conflict('The workflow is already run for the items of the library', CONCURRENT);
    }
    const runId = await startRun(ctx.db, {
      name: 'workflow-backfill',
      queue: continueBackfill.queue,
      trigger: 'manual',
      requestedBy: user.userId,
    });
    const total = await store.countLibrary(ctx.db, user);
    await store.expireChanges(ctx.db, user.userId);
    await store.insertBackfill(ctx.db, { runId, workflowId: workflow.id, total });
    await enqueue(ctx.db, continueBackfill, { runId });
    return toBackfill(await findBackfill(ctx, workflow.id, runId));
  });

function requireRunnable({ settings }: Ctx, workflow: WorkflowRow): void {
  if (!workflow.isEnabled) throw badRequest('The workflow is disabled', INVALID);
  if (!canRun(workflow.steps)) {
    throw badRequest(
      'A step of the workflow does not exist, or its settings are not valid',
      INVALID,
    );
  }
  const capabilities = getCapabilities(settings);
  for (const task of listTasks(compileWorkflow(workflow))) {
    if (!capabilities[task]) {
      throw badRequest('The models that a step needs are not installed', INVALID);
    }
  }
}

/**
 * Pauses, resumes or cancels the evaluation; items that were found to match before are finished. Throws 409
 * once all have been evaluated.
 */
export const updateBackfill = (
  ctx: Ctx,
  workflowId: string,
  id: string,
  { status }: WorkflowBackfillUpdate,
): Promise<WorkflowBackfill> =>
  inTransaction(ctx, async (ctx) => {
    const { db } = ctx;
    const workflow = await findOwnWorkflow(ctx, workflowId, 'workflow.update');
    if (status === 'running') requireStepPermissions(ctx, workflow);
    await store.lockBackfills(db, workflow.id);
    const before = await findBackfill(ctx, workflow.id, id);
    if (getStatus(before) === status) return toBackfill(before);
    if (before.isCounted) throw conflict('All items have been evaluated', CONCURRENT);
    if (status === 'cancelled') await store.cancelBackfill(db, id);
    else await store.setPaused(db, id, status === 'paused');
    if (status === 'running') await enqueue(db, continueBackfill, { runId: id });
    return toBackfill(await findBackfill(ctx, workflow.id, id));
  });

const INVALID = { code: 'invalid_state' } as const;
const CONCURRENT = { code: 'concurrent_request' } as const;

export async function findBackfill({ db }: Ctx, workflowId: string, id: string) {
  const row = await store.findBackfill(db, workflowId, id);
  if (!row) {
    throw new AppError('notFound', 'Backfill not found', { detail: { code: 'not_found' } });
  }
  return row;
}

export const hasEnded = ({ isCounted, processed, items }: store.BackfillView): boolean =>
  isCounted && processed >= items;

function getStatus(row: store.BackfillView): WorkflowBackfill['status'] {
  if (row.error !== null) return 'failed';
  if (row.isCancelled) return 'cancelled';
  if (hasEnded(row)) return 'completed';
  return row.isPaused && !row.isCounted ? 'paused' : 'running';
}

export const toBackfill = (row: store.BackfillView): WorkflowBackfill => ({
  id: row.id,
  workflowId: row.workflowId,
  status: getStatus(row),
  total: Math.max(row.total, row.evaluated),
  evaluated: row.evaluated,
  matched: row.matched,
  waiting: row.waiting,
  processed: row.processed,
  createdAt: toInstant(row.createdAt),
  finishedAt: hasEnded(row) && row.finishedAt ? toInstant(row.finishedAt) : null,
  error: row.error,
  canUndo: row.isUndoable && hasEnded(row),
  undo: toUndo(row),
});

function toUndo({
  undoState: state,
  undoTotal: total,
  undoProgress: progress,
}: store.BackfillView): WorkflowBackfill['undo'] {
  if (state === null || total === null || progress === null) return null;
  const status = state === 'completed' || state === 'failed' ? state : 'running';
  return { status, total, ...undoKind.parseProgress(JSON.parse(progress)) };
}
