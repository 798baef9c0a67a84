import type { Ctx } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { requireOwnVideo } from './domain.ts';
import { pickFrames } from '../enrichment-queue/index.ts';
import { saveState } from './store.ts';

/** Enqueues scene detection and description with the installed models. Manual moments stay. */
export async function refreshVideo(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { assetId } = await requireOwnVideo(ctx, id);
    await saveState(ctx.db, assetId, 'processing');
    await enqueue(ctx.db, pickFrames, { assetId, force: true });
  });
}
