import { inTransaction } from '../../db/transaction.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { deleteAbout } from '../../operations/files.store.ts';
import type { cleanMemories } from './jobs.ts';
import * as store from './removal.store.ts';

/** As Immich does. */
const RETENTION_MS = 30 * 24 * 60 * 60_000;
const BATCH_SIZE = 500;

export const handleCleanMemories: JobHandler<typeof cleanMemories> = async (ctx) => {
  const now = ctx.now();
  const before = new Date(now.getTime() - RETENTION_MS);
  await runThrottled(ctx, () =>
    inTransaction(ctx, async ({ db }) => {
      const ids = await store.lockExpired(db, { before, now, limit: BATCH_SIZE });
      await deleteAbout(db, { memoryIds: ids });
      await store.deleteMemories(db, ids);
      return ids.length === BATCH_SIZE;
    }),
  );
};
