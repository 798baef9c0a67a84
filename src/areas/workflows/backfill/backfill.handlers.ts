import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import type { WorkflowRow } from '../../../db/tables/workflows.ts';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { enqueueInRun, finishCounting } from '../../../jobs/runs.ts';
import { advanceBackfilled, continueBackfill } from '../jobs.ts';
import { readAuthority } from '../runs/authority.ts';
import { toPause, toRun } from '../runs/create.domain.ts';
import { insertRuns, type NewRun } from '../runs/run.store.ts';
import { compileWorkflow, passFilters } from '../runs/steps.ts';
import { readSubjects } from '../runs/subjects.ts';
import * as store from './backfill.store.ts';

/** Items that a pause lets pass. */
const PAGE_SIZE = 500;

/**
 * Evaluates one page, starts the runs of its matches and enqueues the next page in one transaction, so that
 * a crash neither skips nor repeats a page.
 */
export const handleContinueBackfill: JobHandler<typeof continueBackfill> = async (
  ctx,
  { runId },
) => {
  ctx.onFailed((db, error) => finishCounting(db, runId, (error as Error).message));
  const workflow = await store.findActive(ctx.db, runId);
  if (!workflow) return (db) => store.endOrphan(db, runId);
  const session = await findAccountSession(ctx.db, workflow.ownerId);
  if (!session || !workflow.isEnabled) {
    return (db) => finishCounting(db, runId, 'The workflow was disabled');
  }
  const authority = await readAuthority(ctx.db, workflow);
  if ('refusal' in authority) return (db) => finishCounting(db, runId, authority.refusal);
  const page = await evaluatePage(ctx, runId, workflow, session);
  return async (db) => {
    await store.lockBackfills(db, workflow.id);
    // Paused or cancelled meanwhile: the page is evaluated again when it goes on.
    if (await store.findActive(db, runId)) await savePage(db, runId, page);
  };
};

type Page = store.Progress & {
  readonly runs: readonly NewRun[];
  /** Assets of the runs that have something to do. */
  readonly acting: readonly string[];
  readonly isLast: boolean;
};

async function evaluatePage(
  ctx: JobCtx,
  runId: string,
  workflow: WorkflowRow,
  session: UserSession,
): Promise<Page | undefined> {
  const { db, now } = ctx;
  const next = await store.listNext(db, session, runId, PAGE_SIZE);
  const last = next.at(-1);
  if (!last) return undefined;
  const ids = next.map(({ id }) => id);
  const steps = compileWorkflow(workflow);
  const subjects = await readSubjects(ctx, session, ids, steps);
  const stops = Array.from(subjects, ([id, { facts, done }]) => ({
    run: { ...toRun(workflow, id, 0, now()), backfillId: runId },
    stop: passFilters(steps, facts, done),
  }));
  const acting = stops.filter(({ stop }) => stop.kind === 'acts').map(({ run }) => run);
  const waiting = stops.flatMap(({ run, stop }) =>
    stop.kind === 'waits' ? [{ ...run, ...toPause(stop) }] : [],
  );
  return {
    runs: [...acting, ...waiting],
    acting: acting.map(({ assetId }) => assetId),
    evaluated: ids.length,
    matched: stops.filter(({ stop }) => stop.kind === 'acts' || stop.kind === 'passes').length,
    waiting: waiting.length,
    last,
    isLast: ids.length < PAGE_SIZE,
  };
}

async function savePage(db: Db, runId: string, page: Page | undefined): Promise<void> {
  if (!page) return finishCounting(db, runId);
  await insertRuns(db, page.runs);
  await enqueueInRun(
    db,
    runId,
    advanceBackfilled,
    page.acting.map((assetId) => ({ assetId })),
  );
  await store.saveProgress(db, runId, page);
  if (page.isLast) await finishCounting(db, runId);
  else await enqueue(db, continueBackfill, { runId });
}
