import { enqueueMany } from '../../../jobs/queue.ts';
import type { JobCtx, JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { advanceRuns } from '../../workflow-events/index.ts';
import type { sweepRuns } from '../jobs.ts';
import { listExpired, takeNextChanges } from '../undo/changes.store.ts';
import { findNextRun } from './create.domain.ts';
import { advanceRun } from './run.domain.ts';
import * as store from './run.store.ts';
import { StepError } from './step-error.ts';

/** A run that fails does not hold up those after it; it is tried again as often as the job. */
export const handleAdvanceRuns = async (
  ctx: JobCtx,
  { assetId }: { readonly assetId: string },
): Promise<void> => {
  let failure: StepError | undefined;
  const advance = async (id: string): Promise<void> => {
    ctx.signal.throwIfAborted();
    try {
      await advanceRun(ctx, id, { endsWithError: ctx.isLastAttempt });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      failure ??= error;
    }
  };
  let id: string | undefined;
  while ((id = await findNextRun(ctx, assetId, id))) await advance(id);
  if (failure) throw failure;
};

const RETENTION_MS = 30 * 24 * 60 * 60_000;
const BATCH_SIZE = 1_000;

export const handleSweepRuns: JobHandler<typeof sweepRuns> = async (ctx) => {
  let after = store.NIL;
  await runThrottled(ctx, async () => {
    const assetIds = await store.listUnfinishedAssets(ctx.db, BATCH_SIZE, after);
    await enqueueMany(
      ctx.db,
      advanceRuns,
      assetIds.map((assetId) => ({ assetId })),
    );
    after = assetIds.at(-1) ?? after;
    return assetIds.length === BATCH_SIZE;
  });
  await runThrottled(ctx, async () => {
    const [expired] = await listExpired(ctx.db);
    if (expired) await takeNextChanges(ctx.db, expired, BATCH_SIZE);
    return expired !== undefined;
  });
  const before = new Date(ctx.now().getTime() - RETENTION_MS);
  await runThrottled(
    ctx,
    async () => (await store.deleteFinishedBefore(ctx.db, before, BATCH_SIZE)) === BATCH_SIZE,
  );
};
