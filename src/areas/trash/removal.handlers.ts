import type { Deps } from '../../core/context.ts';
import { reach } from '../../core/fault.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { HandlerOf } from '../../jobs/define.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { quarantineOriginals, restoreOriginals, purgeQuarantine } from '../../media/quarantine.ts';
import type { removeFiles } from './jobs.ts';
import * as store from './removal.store.ts';

/** Until nothing is left that could be removed now. */
export const handleRemoveFiles: HandlerOf<typeof removeFiles> = async (ctx) => {
  await runThrottled(ctx, () => removeSome(ctx));
};

/** The files of a few items; false when there are none to remove. */
export async function removeSome(ctx: Deps): Promise<boolean> {
  const cleared = await inTransaction(ctx, clearOriginals);
  if (!cleared) return false;
  reach('removal.committed');
  const { removal, unused, left } = cleared;
  const failed = await purgeQuarantine(ctx.paths, unused, removal.names);
  if (failed.error) ctx.log.warn('files cannot be removed now', { error: failed.error });
  await store.settleRemoval(ctx.db, removal, {
    hashes: [...left, ...failed.hashes],
    names: failed.names,
  });
  return true;
}

/** Under lock: what no asset has loses its row, and its file is put aside. */
async function clearOriginals(ctx: Deps) {
  const removal = await store.takeRemoval(ctx.db);
  if (!removal) return undefined;
  const { locked, busy } = await store.lockOriginals(ctx.db, removal.hashes);
  const used = await store.findUsed(ctx.db, locked);
  reach('removal.locked');
  const rows = [...locked].filter((hash) => !used.has(hash));
  const left = new Set(busy);
  try {
    await restoreOriginals(ctx.paths, [...used]);
    await quarantineOriginals(ctx.paths, rows);
    await store.deleteOriginals(ctx.db, rows);
  } catch (error) {
    // A read-only or broken disk: their rows and what of them was put aside stay for the next run.
    if (!isFileError(error)) throw error;
    ctx.log.warn('originals cannot be removed now', { error });
    for (const hash of locked) left.add(hash);
  }
  const unused = removal.hashes.filter((hash) => !left.has(hash) && !used.has(hash));
  return { removal, unused, left: [...left] };
}

const isFileError = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined;
