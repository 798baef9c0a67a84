import { reach } from '../../core/fault-points.ts';
import type { JobCtx } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { inTransaction } from '../../db/transaction.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { createReader, type Reader } from './apply.domain.ts';
import * as store from './apply.store.ts';
import { deleteQuarantined } from './former-file.ts';
import { inspectQuarantined, type Pace } from './inspection.ts';

const QUARANTINE_MS = 30 * 24 * 60 * 60_000;
const BATCH = 50;

/** Deletes what has been in the quarantine for 30 days, if the retained file still has its bytes. */
export async function purgeQuarantine(ctx: JobCtx, pace: Pace): Promise<void> {
  const before = await getCutoff(ctx.db, QUARANTINE_MS);
  const reader = createReader(ctx, pace);
  let after: string | undefined;
  await runThrottled(ctx, async () => {
    const copies = await store.listQuarantined(ctx.db, before, { after, limit: BATCH });
    for (const copy of copies) await purgeCopy(ctx, copy, reader, pace);
    after = copies.at(-1)?.id;
    return copies.length === BATCH;
  });
}

async function purgeCopy(ctx: JobCtx, copy: store.Copy, reader: Reader, pace: Pace): Promise<void> {
  const retained = await reader.readRetained(copy);
  const former = await inspectQuarantined(ctx.paths, copy, pace);
  // A file that was changed while it was moved has other bytes, which nothing else has.
  if (!retained.checksumMatches || (former.exists && !former.checksumMatches)) {
    ctx.log.warn('a file stays in quarantine: the retained file does not have its bytes', {
      copyId: copy.id,
      path: copy.path,
    });
    return;
  }
  reach('purge.verified');
  await inTransaction(ctx, async ({ db, paths, now }) => {
    if (!(await store.lockApplied(db, copy))) return;
    await deleteQuarantined(paths, copy.id);
    reach('purge.deleted');
    await store.updateCopy(db, copy.id, { purgedAt: now() });
    await store.addProgress(db, copy.planId, { reclaimedBytes: former.exists ? copy.size : 0 });
  });
}
