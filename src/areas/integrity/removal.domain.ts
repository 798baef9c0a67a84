import { basename } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { quarantineFile } from '../../storage/removal.ts';
import {
  filterUsedOutsideTrash,
  releaseOriginals,
  trashItemsWithOriginal,
} from '../trash/index.ts';
import { claimUntracked, toHashes } from './checks/untracked.ts';
import { findEntryFile } from './entry-file.ts';
import { requireStores } from '../../storage/index.ts';
import { lockOriginal } from '../../storage/originals.store.ts';
import { type Fault, FAULTS, verifyEntry } from './refresh.domain.ts';
import * as store from './store.ts';
import { isUnchanged } from './verification.domain.ts';

/**
 * Deletes an entry of the report, with its untracked file, or moves the items to the trash whose file is
 * missing or damaged. The entry is only a hint: where it no longer holds, nothing else happens. Throws 400.
 */
export async function deleteEntry(ctx: Deps, id: string): Promise<void> {
  const entry = await store.findReport(ctx.db, id);
  if (!entry) throw badRequest('Integrity report not found');
  await requireStores(ctx);
  if (entry.type === 'untracked_file') await deleteUntracked(ctx, entry);
  else await trashItems(ctx, entry, FAULTS[entry.type]);
}

async function deleteUntracked(ctx: Deps, { id, path }: store.Report): Promise<void> {
  const isMoved = await inTransaction(ctx, async ({ db, paths }) => {
    await store.deleteReports(db, [id]);
    const claimed = await claimUntracked(db, [path]);
    if (claimed.length === 0) return false;
    const file = await findEntryFile(paths, path);
    if (file) await quarantineFile(paths, file.path, `untracked-${id}`);
    await releaseOriginals(db, toHashes(claimed));
    return file !== undefined;
  });
  if (isMoved) ctx.log.warn('moved an untracked file to quarantine', { path });
}

async function trashItems(ctx: Deps, entry: store.Report, fault: Fault): Promise<void> {
  const hash = basename(entry.path);
  const sha256 = Buffer.from(hash, 'hex');
  const verified = await verifyEntry(ctx, entry);
  if (verified?.verdict === 'unreadable') throw badRequest('The file cannot be read now');
  await inTransaction(ctx, async (ctx) => {
    await store.deleteReports(ctx.db, [entry.id]);
    if (verified?.verdict !== fault || !(await lockOriginal(ctx.db, sha256))) return;
    if (!(await isUnchanged(ctx.paths, sha256, verified))) return;
    await trashItemsWithOriginal(ctx, hash);
    if ((await filterUsedOutsideTrash(ctx.db, [hash])).size === 0) return;
    throw badRequest('The file is the video of a live photo whose picture is whole');
  });
}
