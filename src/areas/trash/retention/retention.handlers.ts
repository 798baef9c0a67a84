import { inTransaction } from '../../../db/transaction.ts';
import type { JobHandler, JobCtx } from '../../../jobs/define.ts';
import { getCutoff } from '../../../jobs/passed-time.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import { readTrashDays } from '../../system-config/index.ts';
import { ACTIVITY_RETENTION_MS } from '../activity/activity.domain.ts';
import type { expireTrash } from '../jobs.ts';
import { deleteAssetsWithFiles } from '../removal/removal.store.ts';
import * as store from '../store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const BATCH_SIZE = 500;

export const handleExpireTrash: JobHandler<typeof expireTrash> = async (ctx) => {
  const trashDays = await readTrashDays(ctx);
  if (trashDays > 0) {
    const before = await getCutoff(ctx.db, trashDays * DAY_MS);
    for (const ownerId of await store.listOwners(ctx.db)) {
      await runThrottled(ctx, () => deleteExpiredItems(ctx, ownerId, before));
    }
  }
  await store.deleteReviewsBefore(ctx.db, new Date(ctx.now().getTime() - DAY_MS));
  await store.deleteActivityBefore(ctx.db, await getCutoff(ctx.db, ACTIVITY_RETENTION_MS));
};

async function deleteExpiredItems(ctx: JobCtx, ownerId: string, before: Date): Promise<boolean> {
  const found = await store.listExpired(ctx.db, { ownerId, before, limit: BATCH_SIZE });
  if (found.length === 0) return false;
  await inTransaction(ctx, async ({ db }) => {
    await deleteAssetsWithFiles(db, await store.lockExpired(db, found, before));
  });
  return true;
}
