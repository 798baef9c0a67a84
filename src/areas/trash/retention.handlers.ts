import { inTransaction } from '../../db/transaction.ts';
import type { HandlerOf, JobCtx } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { enqueue } from '../../jobs/queue.ts';
import { KEPT_MS } from './activity.domain.ts';
import { type expireTrash, moveItems } from './jobs.ts';
import { findForgotten } from './operation.store.ts';
import { removeAssets } from './removal.store.ts';
import * as store from './retention.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const AT_ONCE = 500;

export const handleExpireTrash: HandlerOf<typeof expireTrash> = async (ctx) => {
  const { trashDays } = ctx.settings;
  const now = ctx.now().getTime();
  if (trashDays > 0) {
    const before = new Date(now - trashDays * DAY_MS);
    for (const ownerId of await store.findOwners(ctx.db)) {
      await runThrottled(ctx, () => deleteOld(ctx, ownerId, before));
    }
  }
  await store.forgetReviews(ctx.db, new Date(now - DAY_MS));
  await store.forgetActivity(ctx.db, new Date(now - KEPT_MS));
  for (const operationId of await findForgotten(ctx.db)) {
    await enqueue(ctx.db, moveItems, { operationId });
  }
};

async function deleteOld(ctx: JobCtx, ownerId: string, before: Date): Promise<boolean> {
  const found = await store.findOld(ctx.db, { ownerId, before, limit: AT_ONCE });
  if (found.length === 0) return false;
  await inTransaction(ctx, async ({ db }) => {
    await removeAssets(db, await store.holdOld(db, found, before));
  });
  return true;
}
