import { findAccountSession } from '../../../access/account-session.ts';
import { toRational } from '../../../core/rational.ts';
import type { StudioRenderRow } from '../../../db/tables/studio.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Effect, JobCtx, JobHandler } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { renderFrame as render } from '../render/frame.ts';
import { SourceUnavailable } from '../render/source-unavailable.ts';
import { watchWhile } from '../render/watch.ts';
import { getRenderFolder, removeRenderFolder } from './files.ts';
import type { renderFrame } from './jobs.ts';
import * as store from './store.ts';

const FAILED = 'The frame could not be rendered, see the server log';
const CHECK_MS = 100;

export const handleRenderFrame: JobHandler<typeof renderFrame> = async (ctx, { renderId }) => {
  ctx.onFailed(async (db) => {
    await store.changeRender(db, renderId, ['queued', 'rendering'], {
      state: 'failed',
      error: FAILED,
    });
  });
  const row = await store.changeRender(ctx.db, renderId, ['queued', 'rendering'], {
    state: 'rendering',
  });
  if (!row) return release(ctx, renderId);
  const isWanted = async () => (await store.getRenderState(ctx.db, renderId)) === 'rendering';
  const wanted = watchWhile(isWanted, CHECK_MS);
  try {
    await renderRow({ ...ctx, signal: AbortSignal.any([ctx.signal, wanted.signal]) }, row);
  } catch (error) {
    if (wanted.signal.aborted) return release(ctx, renderId);
    const reason = await findLastingReason(ctx, error);
    if (reason === undefined || ctx.signal.aborted) throw error;
    ctx.log.warn('a frame of a project could not be rendered', { renderId, reason });
    await store.changeRender(ctx.db, renderId, ['rendering'], { state: 'failed', error: reason });
    return release(ctx, renderId);
  } finally {
    wanted.stop();
  }
  const ready = await store.changeRender(ctx.db, renderId, ['rendering'], {
    state: 'ready',
    readyAt: ctx.now(),
  });
  return ready ? undefined : release(ctx, renderId);
};

async function renderRow(ctx: JobCtx, row: StudioRenderRow): Promise<void> {
  const { numerator, denominator, quality, width, height, accountId } = row;
  const [document, session] = await Promise.all([
    store.findDocument(ctx.db, row),
    findAccountSession(ctx.db, accountId),
  ]);
  if (!document || !session) throw new SourceUnavailable(row.projectId);
  await render(ctx, {
    document,
    session,
    time: toRational({ numerator, denominator }),
    quality,
    viewport: { width, height },
    folder: getRenderFolder(ctx.paths, row.id),
    signal: ctx.signal,
  });
}

/** Returns the reason when another attempt would end in the same way. */
async function findLastingReason(ctx: JobCtx, error: unknown): Promise<string | undefined> {
  if (error instanceof SourceUnavailable) return error.message;
  return (await isVerdict(ctx, error)) ? (error as Error).message : undefined;
}

/**
 * Removes the folder of a frame that is over or that nobody wants, and says so afterwards. Nobody renders
 * into it any more: that was this job.
 */
async function release(ctx: JobCtx, renderId: string): Promise<Effect | undefined> {
  const isUnwanted = await inTransaction(ctx, async ({ db }) => {
    const row = await store.lockRender(db, renderId);
    if (row?.state !== 'ready') return true;
    if ((await store.countConsumers(db, renderId)) > 0) return false;
    await store.changeRender(db, renderId, ['ready'], { state: 'cancelled' });
    return true;
  });
  if (!isUnwanted) return undefined;
  await removeRenderFolder(ctx.paths, renderId);
  return async (db) => {
    const change = { releasedAt: ctx.now() };
    await store.changeRender(db, renderId, ['failed', 'cancelled'], change);
  };
}
