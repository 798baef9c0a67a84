import type { Deps } from '../../../core/context.ts';
import { reach } from '../../../core/fault-points.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { runThrottled } from '../../../jobs/throttle.ts';
import {
  quarantineOriginals,
  restoreOriginals,
  purgeQuarantine,
} from '../../../storage/quarantine.ts';
import { removeCopies } from '../../../storage/object-cache.ts';
import { deleteDerivedFiles } from '../../../storage/file-objects.ts';
import { isObjectName, parseKey } from '../../../storage/object-keys.ts';
import { openObjectStore } from '../../../storage/object-originals.ts';
import { findObjectStore } from '../../../storage/configured-store.ts';
import { deleteDeletions, lockDueDeletions } from '../../../storage/objects.store.ts';
import type { removeFiles } from '../jobs.ts';
import * as store from './removal.store.ts';

/** Deletes files until none is left that can be deleted now. */
export const handleRemoveFiles: JobHandler<typeof removeFiles> = async (ctx) => {
  await runThrottled(ctx, () => removeNextFiles(ctx));
  if (findObjectStore(ctx.settings)) await runThrottled(ctx, () => deleteNextObjects(ctx));
};

/** Deletes objects that no row names any more. Returns false when none is due. */
async function deleteNextObjects(ctx: Deps): Promise<boolean> {
  const objects = await openObjectStore(ctx);
  return inTransaction(ctx, async ({ db, paths }) => {
    const keys = await lockDueDeletions(db, OBJECTS_AT_ONCE);
    await objects.remove(keys);
    reach('object.deleted');
    await removeCopies(
      paths,
      keys.flatMap((key) => parseKey(key) ?? []),
    );
    await deleteDerivedFiles(paths, keys.filter(isObjectName));
    await deleteDeletions(db, keys);
    return keys.length > 0;
  });
}

const OBJECTS_AT_ONCE = 100;

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
