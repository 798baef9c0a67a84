import type { Effect, JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueueNext } from '../../jobs/runs.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import {
  applyCopy,
  createReader,
  endApply,
  failAbandoned,
  resumeQuarantine,
  type Reader,
} from './apply.domain.ts';
import * as store from './apply.store.ts';
import { type Pace, inspectQuarantined } from './inspection.ts';
import { applyPlan, type previewPlan, type purgeCopies } from './jobs.ts';
import { makePlan } from './preview.domain.ts';
import { updatePlan } from './plans.store.ts';
import { reach } from '../../core/fault-points.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { inTransaction } from '../../db/transaction.ts';
import { deleteQuarantined } from './former-file.ts';

/** Time in ms after which a job continues as another one. */
const SLICE_MS = 10_000;
const BATCH = 50;

export const handlePreview: JobHandler<typeof previewPlan> = async (ctx, { planId }) => {
  ctx.onFailed(async (db, error) => {
    await updatePlan(db, planId, { status: 'failed', error: (error as Error).message });
  });
  await makePlan(ctx, planId, () => {
    ctx.signal.throwIfAborted();
    ctx.restartTimeLimit();
  });
};

/** Lets other work of the thread have its turn. */
const createPace =
  ({ signal, restartTimeLimit }: JobCtx): Pace =>
  async () => {
    signal.throwIfAborted();
    restartTimeLimit();
    await Bun.sleep(0);
  };

export const handleApply: JobHandler<typeof applyPlan> = async (
  ctx,
  { applyId },
): Promise<Effect | void> => {
  const apply = await store.findApply(ctx.db, applyId);
  if (!apply || apply.status === 'completed') return undefined;
  ctx.onFailed((db) => endApply(db, apply, 'failed', ctx.now()));
  await store.updateApply(ctx.db, applyId, { status: 'running' });
  const until = performance.now() + SLICE_MS;
  const reader = createReader(ctx, createPace(ctx));
  // The copies of an attempt that was interrupted.
  for (const copy of await store.listUnmoved(ctx.db, apply.planId))
    await resumeQuarantine(ctx, copy, reader);
  let isDone = false;
  await runThrottled(ctx, async () => {
    const copies = await store.listPending(ctx.db, apply.planId, BATCH);
    for (const copy of copies) {
      await applyCopy(ctx, apply, copy, reader);
      if (performance.now() > until) return false;
    }
    isDone = copies.length < BATCH;
    return !isDone;
  });
  if (!isDone) return (tx) => enqueueNext(tx, ctx.itemId, applyPlan, { applyId });
  return (tx) => endApply(tx, apply, 'completed', ctx.now());
};

export const handlePurge: JobHandler<typeof purgeCopies> = async (ctx) => {
  await failAbandoned(ctx);
  await purgeQuarantine(ctx, createPace(ctx));
};

const QUARANTINE_MS = 30 * 24 * 60 * 60_000;

/** Deletes what has been in the quarantine for 30 days, if the retained file still has its bytes. */
async function purgeQuarantine(ctx: JobCtx, pace: Pace): Promise<void> {
  const before = await getCutoff(ctx.db, QUARANTINE_MS);
  const reader = createReader(ctx, pace);
  let after: string | undefined;
  await runThrottled(ctx, async () => {
    const copies = await store.listQuarantined(ctx.db, before, { after, limit: BATCH });
    for (const copy of copies) await purgeCopy(ctx, copy, reader, pace);
    after = copies.at(-1)?.id;
    return copies.length === BATCH;
  });
}

async function purgeCopy(ctx: JobCtx, copy: store.Copy, reader: Reader, pace: Pace): Promise<void> {
  const retained = await reader.readRetained(copy);
  const former = await inspectQuarantined(ctx.paths, copy, pace);
  // A file that was changed while it was moved has other bytes, which nothing else has.
  if (!retained.checksumMatches || (former.exists && !former.checksumMatches)) {
    ctx.log.warn('a file stays in quarantine: the retained file does not have its bytes', {
      copyId: copy.id,
      path: copy.path,
    });
    return;
  }
  reach('purge.verified');
  await inTransaction(ctx, async ({ db, paths, now }) => {
    if (!(await store.lockApplied(db, copy))) return;
    await deleteQuarantined(paths, copy.id);
    reach('purge.deleted');
    await store.updateCopy(db, copy.id, { purgedAt: now() });
    await store.addProgress(db, copy.planId, { reclaimedBytes: former.exists ? copy.size : 0 });
  });
}
