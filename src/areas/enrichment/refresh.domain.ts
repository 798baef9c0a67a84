import type { Ctx } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { lockOwnVideoOrThrow } from './domain.ts';
import { pickFrames } from './jobs.ts';
import { saveState } from './store.ts';

/** Finds the scenes again and looks at them with what is installed now. Moments by hand stay. */
export async function refreshVideo(ctx: Ctx, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { assetId } = await lockOwnVideoOrThrow(ctx, id);
    await saveState(ctx.db, assetId, 'processing');
    await enqueue(ctx.db, pickFrames, { assetId, force: true });
  });
}
