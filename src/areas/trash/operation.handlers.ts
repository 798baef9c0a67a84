import type { HandlerOf } from '../../jobs/define.ts';
import type { moveItems } from './jobs.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { workOn } from './operation.domain.ts';

/** Batch by batch, each in its own transaction: a crash repeats none and skips none. */
export const handleMoveItems: HandlerOf<typeof moveItems> = async (ctx, { operationId }) => {
  await runThrottled(ctx, () => workOn(ctx, operationId));
};
