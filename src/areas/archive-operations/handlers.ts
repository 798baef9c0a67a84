import type { HandlerOf } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { enqueue } from '../../jobs/queue.ts';
import { type tidyArchive, workOnArchive } from './jobs.ts';
import * as store from './store.ts';
import { markFailed, workOn } from './work.domain.ts';

export const handleWorkOnArchive: HandlerOf<typeof workOnArchive> = async (ctx, payload) => {
  const { operationId } = payload;
  try {
    await runThrottled(ctx, () => workOn(ctx, operationId));
  } catch (error) {
    if (ctx.isLastAttempt && !ctx.signal.aborted) {
      await markFailed(ctx, operationId, 'Archiving failed; see the log of the server');
    }
    throw error;
  }
};

export const handleTidyArchive: HandlerOf<typeof tidyArchive> = async (ctx) => {
  await store.expire(ctx.db, ctx.now());
  await store.forgetOld(ctx.db);
  for (const operationId of await store.findForgotten(ctx.db)) {
    await enqueue(ctx.db, workOnArchive, { operationId });
  }
};
