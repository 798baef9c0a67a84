import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { enqueue } from '../../jobs/queue.ts';
import { type cleanUpArchives, runArchive } from './jobs.ts';
import * as store from './store.ts';
import { markFailed, processNextBatch } from './run.domain.ts';

export const handleRunArchive: JobHandler<typeof runArchive> = async (ctx, payload) => {
  const { operationId } = payload;
  ctx.onFailed((db) =>
    markFailed({ ...ctx, db }, operationId, 'Archiving failed, see the server log'),
  );
  await runThrottled(ctx, () => processNextBatch(ctx, operationId));
};

export const handleCleanUpArchives: JobHandler<typeof cleanUpArchives> = async (ctx) => {
  await store.expirePrepared(ctx.db, ctx.now());
  await store.deleteUnlisted(ctx.db);
  for (const operationId of await store.listAbandoned(ctx.db)) {
    await enqueue(ctx.db, runArchive, { operationId });
  }
};
