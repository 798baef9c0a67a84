import { basename } from 'node:path';
import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { findGuardedPath } from '../../core/guarded-path.ts';
import { toHex } from '../../core/hash.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { inTransaction } from '../../db/transaction.ts';
import { publishFile } from '../../storage/originals.ts';
import { keepInQuarantine } from '../../storage/removal.ts';
import { copyLocalFile, type LocalCopy } from '../uploads/index.ts';
import { findCopyFile } from './copies.domain.ts';
import { createUnknownEntryError } from './entry-file.ts';
import { requireStores } from '../../storage/index.ts';
import {
  findOriginal,
  lockOriginal,
  markMissing,
  type OriginalRow,
} from '../../storage/originals.store.ts';
import { verifyEntry } from './refresh.domain.ts';
import * as store from './store.ts';
import { isUnchanged, type Verified, verifyOriginal } from './verification.domain.ts';

/**
 * Replaces a missing or damaged file by a copy of another file with the right bytes, which is only read. The
 * damaged bytes are kept in the folder `removed`. Throws 404, and 400 if there is no such file.
 */
export async function repairEntry(ctx: Deps, id: string): Promise<void> {
  const entry = await store.findReport(ctx.db, id);
  if (!entry) throw createUnknownEntryError();
  if (entry.type === 'untracked_file') throw badRequest('An untracked file cannot be repaired');
  await requireStores(ctx);
  const row = await findOriginal(ctx.db, Buffer.from(basename(entry.path), 'hex'));
  const verified = row && (await verifyEntry(ctx, entry));
  if (!row || !verified) throw createUnknownEntryError();
  if (verified.verdict === 'unreadable') throw badRequest('The file cannot be read now');
  const copyPath = await findCopyFile(ctx, row);
  if (!copyPath) throw badRequest('No other file has the bytes of this one');
  const copy = await copyLocalFile(ctx, copyPath);
  try {
    await copy.file.sync();
    await inTransaction(ctx, (ctx) => replaceFile(ctx, { entry, row, verified, copy }));
  } finally {
    await copy.file.discard();
  }
  ctx.log.warn('repaired an original', {
    path: entry.path,
    copyPath: findGuardedPath(copyPath) ?? copyPath,
  });
}

type Repair = {
  readonly entry: store.Report;
  readonly row: OriginalRow;
  readonly verified: Verified;
  readonly copy: LocalCopy;
};

async function replaceFile(
  { db, paths }: Pick<Deps, 'db' | 'paths'>,
  { entry, row, verified, copy }: Repair,
): Promise<void> {
  const { sha256 } = row;
  const hash = toHex(sha256);
  if (toHex(copy.digests.sha256) !== hash) throw badRequest('The copy has changed: try again');
  if (!(await lockOriginal(db, sha256))) throw createUnknownEntryError();
  if (!(await isUnchanged(paths, sha256, verified))) {
    throw badRequest('The file has changed: try again');
  }
  await markMissing(db, sha256, false);
  await store.deleteReports(db, [entry.id]);
  if (verified.verdict === 'ok') return;
  const path = originalPath(paths, sha256);
  if (verified.verdict === 'damaged') await keepInQuarantine(paths, path, `damaged-${entry.id}`);
  await publishFile(paths, copy.file, sha256, { isDoubted: true });
  const { verdict } = await verifyOriginal(paths, row);
  if (verdict !== 'ok')
    throw new Error(`${path} was repaired and is ${verdict}: is its disk failing?`);
}
