import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueueNext } from '../../jobs/runs.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { deleteEntry } from './removal.domain.ts';
import { isSolved } from './refresh.domain.ts';
import { deleteReported, refreshReport } from './jobs.ts';
import { requireStores } from '../../storage/index.ts';
import * as store from './store.ts';

/** Time in ms after which a job continues as another one. */
const SLICE_MS = 10_000;
const BATCH = 100;

type ReportJob = typeof refreshReport | typeof deleteReported;

/** Handles all entries of a report one after the other, in the order of their ids. */
const handleEntries =
  (
    job: ReportJob,
    handle: (ctx: JobCtx, entry: store.Report) => Promise<void>,
  ): JobHandler<ReportJob> =>
  async (ctx, { type, after: first }) => {
    const until = performance.now() + SLICE_MS;
    let after = first;
    let isDone = false;
    await runThrottled(ctx, async () => {
      await requireStores(ctx);
      const entries = await store.listReports(ctx.db, type, { after, limit: BATCH });
      for (const entry of entries) {
        ctx.signal.throwIfAborted();
        ctx.restartTimeLimit();
        await handle(ctx, entry);
        after = entry.id;
        if (performance.now() > until) return false;
      }
      isDone = entries.length < BATCH;
      return !isDone;
    });
    if (isDone) return undefined;
    return (tx) => enqueueNext(tx, ctx.itemId, job, { type, ...(after && { after }) });
  };

export const handleRefreshReport = handleEntries(refreshReport, async (ctx, entry) => {
  if (await isSolved(ctx, entry)) await store.deleteReports(ctx.db, [entry.id]);
});

export const handleDeleteReported = handleEntries(deleteReported, async (ctx, entry) => {
  await deleteEntry(ctx, entry.id).catch((error: unknown) => {
    // An entry that cannot be deleted stays in the report.
    ctx.log.warn('deleting an entry of the integrity report failed', { path: entry.path, error });
  });
});
