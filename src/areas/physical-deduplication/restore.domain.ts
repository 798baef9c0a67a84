import type { Ctx, Deps } from '../../core/context.ts';
import { AppError, notFound } from '../../core/errors.ts';
import { guardPath } from '../../core/guarded-path.ts';
import { reach } from '../../core/fault-points.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ApplyRow } from '../../db/tables/physical-deduplication.ts';
import { createReader, toRetained } from './apply.domain.ts';
import { findFile } from '../integrity/index.ts';
import * as store from './apply.store.ts';
import { deleteQuarantined, FileMoveError, moveBack, moveToQuarantine } from './former-file.ts';
import { type FormerInspection, getPath, inspectFormerFile, isUnchanged } from './inspection.ts';
import type { CopyState, Retained, Verification } from './schemas.ts';

/** Reads the retained files and the former files of a run. Writes nothing. */
export async function verifyApply(ctx: Ctx, applyId: string): Promise<Verification> {
  const { db, paths, now } = ctx;
  const apply = await requireApply(ctx, applyId);
  const reader = createReader(ctx);
  const retained = new Map<string, Retained>();
  const copies: CopyState[] = [];
  for (const copy of await store.listApplied(db, apply.planId)) {
    const { file: _, ...found } = await reader.readRetained(copy);
    retained.set(copy.groupId, { path: getPath(paths, toRetained(copy)), ...found });
    copies.push(toCopyState(copy, await inspectFormerFile(paths, copy)));
  }
  return {
    applyId,
    planId: apply.planId,
    verifiedAt: now().toISOString(),
    retained: [...retained.values()],
    copies,
  };
}

async function requireApply({ db }: Deps, id: string): Promise<ApplyRow> {
  const apply = await store.findApply(db, id);
  if (!apply) throw notFound('Apply');
  return apply;
}

function toCopyState(copy: store.Copy, found: FormerInspection): CopyState {
  const isRestored = copy.state === 'restored' && found.exists && !found.isQuarantined;
  const state = isRestored ? 'restored' : found.exists ? 'on-disk' : 'gone';
  const { checksumMatches, sizeMatches } = found;
  return {
    copyId: copy.id,
    assetId: copy.assetId,
    ownerId: copy.ownerId,
    formerPath: copy.path,
    state,
    checksumMatches: found.exists ? checksumMatches : null,
    sizeMatches: found.exists ? sizeMatches : null,
    canRestore: state === 'on-disk' && checksumMatches && sizeMatches,
  };
}

/**
 * Lets the items of copies be read from their own files again, all or none. Throws 409 when the file of one
 * is gone or has other bytes, or something else is where it was.
 */
export async function restoreCopies(
  ctx: Ctx,
  applyId: string,
  copyIds: readonly string[],
): Promise<Verification> {
  const apply = await requireApply(ctx, applyId);
  const copies = await store.listApplied(ctx.db, apply.planId, copyIds);
  if (copies.length < copyIds.length) throw refuse('One of the copies was not applied');
  const applied = copies.filter(({ state }) => state === 'applied');
  const found: FormerCopy[] = [];
  for (const copy of applied) {
    const former = await inspectFormerFile(ctx.paths, copy);
    if (!former.checksumMatches) {
      throw refuse(`${copy.path} ${former.exists ? 'is not as reviewed' : 'is gone'}`);
    }
    found.push({ copy, former });
  }
  reach('restore.verified');
  await inTransaction(ctx, (ctx) => restoreAll(ctx, found));
  reach('restore.committed');
  return verifyApply(ctx, applyId);
}

type FormerCopy = { readonly copy: store.Copy; readonly former: FormerInspection };

/** The database is changed before the files are, so that what is refused has moved none. */
async function restoreAll(ctx: Ctx, found: readonly FormerCopy[]): Promise<void> {
  const { db, paths } = ctx;
  const inOrder = found.toSorted((a, b) => Buffer.compare(a.copy.sha256, b.copy.sha256));
  for (const { copy, former } of inOrder) {
    const isThere = former.isQuarantined || (await isUnchanged(paths, copy, former));
    const row = await store.lockApplied(db, copy);
    if (!row || !isThere) throw refuse(`${copy.path} has changed meanwhile`);
    if (!(await store.takeBackFile(db, copy))) throw refuse(`${copy.path} belongs to no item`);
    await store.updateCopy(db, copy.id, { state: 'restored', quarantinedAt: null });
  }
  const moved: store.Copy[] = [];
  try {
    for (const { copy, former } of inOrder) {
      if (!former.isQuarantined) {
        // Left by a restoration that was interrupted.
        await deleteQuarantined(paths, copy.id);
        continue;
      }
      await moveBack(paths, copy);
      moved.push(copy);
    }
  } catch (error) {
    for (const copy of moved)
      await moveToQuarantine(ctx, copy, (await findFile(guardPath(copy.path))).file);
    if (!(error instanceof FileMoveError)) throw error;
    throw refuse(error.message);
  }
}

const refuse = (message: string) => new AppError('conflict', message, { code: 'cannot_restore' });
