import { enqueueMany } from '../../../jobs/queue.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { advanceRuns, type sweepRuns } from '../jobs.ts';
import { createRuns } from './create.domain.ts';
import { advanceRun, StepError } from './run.domain.ts';
import * as store from './run.store.ts';

/** A run that fails does not hold up those after it; it is tried again as often as the job. */
export const handleAdvanceRuns: JobHandler<typeof advanceRuns> = async (ctx, { assetId }) => {
  await createRuns(ctx, assetId);
  let failure: StepError | undefined;
  for (const id of await store.listUnfinished(ctx.db, assetId)) {
    ctx.signal.throwIfAborted();
    try {
      await advanceRun(ctx, id, { endsWithError: ctx.isLastAttempt });
    } catch (error) {
      if (!(error instanceof StepError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
};

const RETENTION_MS = 30 * 24 * 60 * 60_000;
const BATCH_SIZE = 1_000;
const NIL = '00000000-0000-0000-0000-000000000000';

export const handleSweepRuns: JobHandler<typeof sweepRuns> = async (ctx) => {
  let after = NIL;
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
  const before = new Date(ctx.now().getTime() - RETENTION_MS);
  await runThrottled(
    ctx,
    async () => (await store.deleteFinishedBefore(ctx.db, before, BATCH_SIZE)) === BATCH_SIZE,
  );
};
