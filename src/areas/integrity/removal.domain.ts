import { basename } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import type { Db } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { quarantineFile } from '../../media/quarantine.ts';
import {
  claimOriginals,
  filterUsedOutsideTrash,
  lockAssets,
  parseDerivedOwner,
  releaseOriginals,
  trashItemsWithOriginal,
} from '../trash/index.ts';
import { filterUntracked, isOld, parseOriginal } from './checks/untracked.ts';
import { createUnknownEntryError, findEntryFile } from './entry-file.ts';
import { requireStores } from '../../storage/stores.ts';
import { lockOriginal } from './originals.store.ts';
import { type Fault, FAULTS, verifyEntry } from './refresh.domain.ts';
import * as store from './store.ts';
import { isUnchanged } from './verification.domain.ts';

/**
 * Deletes an entry of the report, with its untracked file, or moves the items to the trash whose file is
 * missing or damaged. The entry is only a hint: where it no longer holds, nothing else happens. Throws 404.
 */
export async function deleteEntry(ctx: Deps, id: string): Promise<void> {
  const entry = await store.findReport(ctx.db, id);
  if (!entry) throw createUnknownEntryError();
  await requireStores(ctx);
  if (entry.type === 'untracked_file') await deleteUntracked(ctx, entry);
  else await trashItems(ctx, entry, FAULTS[entry.type]);
}

async function deleteUntracked(ctx: Deps, { id, path }: store.Report): Promise<void> {
  const isMoved = await inTransaction(ctx, async ({ db, paths, now }) => {
    await store.deleteReports(db, [id]);
    if (!(await claimUntracked(db, path))) return false;
    const file = await findEntryFile(paths, path);
    const isSafe = file !== undefined && (await isOld(file.path, now()));
    if (isSafe) await quarantineFile(paths, file.path, `untracked-${id}`);
    const hash = parseOriginal(path);
    if (hash) await releaseOriginals(db, [hash]);
    return isSafe;
  });
  if (isMoved) ctx.log.warn('moved an untracked file to quarantine', { path });
}

/** Returns whether no row refers to a file; then none will until the commit. */
async function claimUntracked(db: Db, path: string): Promise<boolean> {
  const hash = parseOriginal(path);
  if (hash) return (await claimOriginals(db, [hash])).length > 0;
  const owner = parseDerivedOwner(path);
  if (owner) await lockAssets(db, [owner]);
  return (await filterUntracked(db, [path])).length > 0;
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
