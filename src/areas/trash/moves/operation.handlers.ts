import type { JobHandler } from '../../../jobs/define.ts';
import type { moveItems } from '../jobs.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { processNextBatch } from './operation.domain.ts';

/** Moves batch by batch, each in its own transaction: a crash neither repeats nor skips one. */
export const handleMoveItems: JobHandler<typeof moveItems> = async (ctx, { operationId }) => {
  await runThrottled(ctx, () => processNextBatch(ctx, operationId));
};
