import type { HandlerOf } from '../../jobs/define.ts';
import * as store from './compact.store.ts';
import type { compactChanges } from './jobs.ts';

/** A day longer than a copy may lie idle before it starts over. */
const KEPT_MS = 31 * 24 * 60 * 60_000;

/** Each step leaves a log that says as much as before: done again after a crash, it goes on. */
export const handleCompact: HandlerOf<typeof compactChanges> = async (ctx) => {
  const { db, signal } = ctx;
  const proceed = () => {
    signal.throwIfAborted();
    ctx.restartTimeLimit();
  };
  const now = ctx.now();
  const floor = await store.markTime(db, now, new Date(now.getTime() - KEPT_MS));
  if (floor !== undefined) await store.raiseFloor(db, floor);
  for (const scope of await store.listScopes(db)) {
    while (floor !== undefined && (await store.dropOld(db, scope, floor))) proceed();
    while (await store.dropRepeated(db, scope, signal)) proceed();
  }
};
