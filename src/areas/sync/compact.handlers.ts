import type { JobHandler } from '../../jobs/define.ts';
import * as store from './compact.store.ts';
import type { compactChanges } from './jobs.ts';

/** A day longer than a copy may be idle before it is reset. */
const RETENTION_MS = 31 * 24 * 60 * 60_000;

/** Each step leaves a complete log, so that the job can be repeated after a crash. */
export const handleCompact: JobHandler<typeof compactChanges> = async (ctx) => {
  const { db, signal } = ctx;
  const proceed = () => {
    signal.throwIfAborted();
    ctx.restartTimeLimit();
  };
  const now = ctx.now();
  const watermark = await store.recordMark(db, now, new Date(now.getTime() - RETENTION_MS));
  if (watermark !== undefined) await store.advanceLowWatermark(db, watermark);
  for (const scope of await store.listScopes(db)) {
    while (watermark !== undefined && (await store.deleteOldChanges(db, scope, watermark)))
      proceed();
    while (await store.deleteSupersededChanges(db, scope, signal)) proceed();
  }
};
