import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import type { runArchive } from './jobs.ts';
import { markFailed, processNextBatch } from './run.domain.ts';

export const handleRunArchive: JobHandler<typeof runArchive> = async (ctx, { operationId }) => {
  ctx.onFailed((db) =>
    markFailed({ ...ctx, db }, operationId, 'Archiving failed, see the server log'),
  );
  await runThrottled(ctx, () => processNextBatch(ctx, operationId));
};
