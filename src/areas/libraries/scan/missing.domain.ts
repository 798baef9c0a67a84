import type { Deps } from '../../../core/context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { getCutoff } from '../../../jobs/passed-time.ts';
import { restoreItems, trashItems } from '../../trash/index.ts';
import * as store from './settle.store.ts';

/** After these days without its file an item is moved to the trash. */
const MISSING_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
const PAGE_SIZE = 500;

/** Moves a page of items whose files have been gone for long to the trash. Returns whether there may be more. */
export const trashLongMissing = (deps: Deps): Promise<boolean> =>
  inTransaction(deps, async ({ db, now }) => {
    const before = await getCutoff(db, MISSING_DAYS * DAY_MS);
    const files = await store.listLongMissing(db, before, PAGE_SIZE);
    if (files.length === 0) return false;
    const ids = files.map(({ assetId }) => assetId);
    await trashItems(db, { ids }, now());
    await store.setTrashed(db, files, now());
    return files.length === PAGE_SIZE;
  });

/** Restores a page of items whose files are back. Returns whether there may be more. */
export const restoreReturned = (deps: Deps, libraryId: string): Promise<boolean> =>
  inTransaction(deps, async ({ db, now }) => {
    const files = await store.listReturned(db, libraryId, PAGE_SIZE);
    if (files.length === 0) return false;
    const ids = files.map(({ assetId }) => assetId);
    await restoreItems(db, { ids }, now());
    await store.setTrashed(db, files, null);
    return files.length === PAGE_SIZE;
  });
