import type { Deps } from '../../../core/context.ts';
import { reach } from '../../../core/fault-points.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import {
  quarantineOriginals,
  restoreOriginals,
  purgeQuarantine,
  deleteDueObjects,
} from '../../../storage/removal.ts';
import { hasObjectStore } from '../../../storage/index.ts';
import type { removeFiles } from '../jobs.ts';
import * as store from './removal.store.ts';

/** Deletes files until none is left that can be deleted now. */
export const handleRemoveFiles: JobHandler<typeof removeFiles> = async (ctx) => {
  await runThrottled(ctx, () => removeNextFiles(ctx));
  if (hasObjectStore(ctx.settings)) await runThrottled(ctx, () => deleteDueObjects(ctx));
};

/** Deletes the files of one removal. Returns false when there is none. */
export async function removeNextFiles(ctx: Deps): Promise<boolean> {
  const cleared = await inTransaction(ctx, releaseOriginals);
  if (!cleared) return false;
  reach('removal.committed');
  const { removal, unused, left } = cleared;
  const failed = await purgeQuarantine(ctx.paths, unused, removal.names);
  if (failed.error) ctx.log.warn('deleting files failed, retrying later', { error: failed.error });
  await store.updateRemoval(ctx.db, removal, {
    hashes: [...left, ...failed.hashes],
    names: failed.names,
  });
  return true;
}

/** Under lock, deletes the rows of unused originals and moves their files to the quarantine. */
async function releaseOriginals(ctx: Deps) {
  const removal = await store.lockNextRemoval(ctx.db);
  if (!removal) return undefined;
  const { locked, busy } = await store.lockOriginals(ctx.db, removal.hashes);
  const used = await store.filterUsed(ctx.db, locked);
  reach('removal.locked');
  const rows = [...locked].filter((hash) => !used.has(hash));
  const left = new Set(busy);
  try {
    await restoreOriginals(ctx.paths, [...used]);
    await quarantineOriginals(ctx.paths, rows);
    await store.deleteOriginals(ctx.db, rows);
  } catch (error) {
    // On a read-only or broken disk, rows and quarantined files stay for the next run.
    if (!isFileError(error)) throw error;
    ctx.log.warn('deleting originals failed, retrying later', { error });
    for (const hash of locked) left.add(hash);
  }
  const unused = removal.hashes.filter((hash) => !left.has(hash) && !used.has(hash));
  return { removal, unused, left: [...left] };
}

const isFileError = (error: unknown) => (error as NodeJS.ErrnoException).syscall !== undefined;
