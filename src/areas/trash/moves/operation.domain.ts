import type { Ctx, Deps } from '../../../core/context.ts';
import { requireUser } from '../../../access/scope.ts';
import { commitAsynchronously, inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { moveItems, removeFiles } from '../jobs.ts';
import { takeNextBatch } from '../../../operations/batches.store.ts';
import { deleteOperation, insertOperation, lockOperation } from '../../../operations/store.ts';
import { deleteRows } from '../removal/removal.store.ts';
import { restoreItems, trashItems } from './moves.store.ts';
import { moveKind } from './kind.ts';
import {
  freezeItems,
  type ItemSelection,
  lockItems,
  type Move,
  type MoveTarget,
} from './item-set.store.ts';

/** Above this number of items a move continues in the background. Tests lower it. */
export const limits = { immediateItems: 5000 };

export type MoveResult = {
  readonly count: number;
  /** Bytes, with the videos of live photos. */
  readonly bytes: number;
  /** Digest of the ids and state revisions of the items. */
  readonly hash: Uint8Array;
  readonly trashedAt: Date;
};

export type MoveOptions = {
  /** Called before any change; throws to refuse the items with this hash. */
  readonly verify?: ((hash: Uint8Array) => void) | undefined;
  /** Called when the items are locked, before any of them moves. */
  readonly beforeMove?: (() => Promise<void>) | undefined;
};

/**
 * Moves a set of items as it is now: up to the limit at once, more by a job over a frozen
 * list. The first batch of those moves at once too, for what is on the screen. Call it in a
 * transaction.
 */
export async function moveSet(
  ctx: Ctx,
  target: MoveTarget,
  { verify: check, beforeMove: before }: MoveOptions = {},
): Promise<MoveResult> {
  const trashedAt = ctx.now();
  const locked = await lockItems(ctx, target, limits.immediateItems);
  if (locked) {
    check?.(locked.hash);
    await before?.();
    await applyMove(ctx, target.move, { ids: locked.ids }, trashedAt);
    await enqueueFileRemoval(ctx.db, target.move);
    return { ...locked, trashedAt };
  }
  const { id: operationId } = await insertOperation(ctx.db, moveKind, {
    accountId: requireUser(ctx.session).userId,
    payload: { action: target.move },
    createdAt: trashedAt,
  });
  const frozen = await freezeItems(ctx, target, operationId);
  check?.(frozen.hash);
  await before?.();
  await enqueue(ctx.db, moveItems, { operationId });
  await moveBatch(ctx, operationId);
  return { ...frozen, trashedAt };
}

/** Moves the next batch in one transaction. Returns false when none is left. */
export const processNextBatch = (deps: Deps, operationId: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const moved = await moveBatch(deps, operationId);
    // Not for deletions: their files are deleted next and cannot be restored.
    if (moved === 'trash' || moved === 'restore') await commitAsynchronously(deps.db);
    return moved !== undefined;
  });

/** Moves the next batch and returns its move, or undefined when none is left. */
async function moveBatch(deps: Deps, id: string): Promise<Move | undefined> {
  const { db } = deps;
  const operation = await lockOperation(db, moveKind, id);
  if (!operation) return undefined;
  const { action } = operation.payload;
  const batch = await takeNextBatch(db, id);
  if (!batch) {
    await deleteOperation(db, id);
    await enqueueFileRemoval(db, action);
    return undefined;
  }
  const { ids, revisions } = batch;
  await applyMove(deps, action, { ids, revisions: revisions ?? [] }, operation.createdAt);
  return action;
}

async function applyMove(
  { db, now }: Deps,
  move: Move,
  chosen: ItemSelection,
  trashedAt: Date,
): Promise<void> {
  if (move === 'trash') await trashItems(db, chosen, now(), trashedAt);
  else if (move === 'restore') await restoreItems(db, chosen, now());
  else await deleteRows(db, chosen);
}

/** Called after all rows are deleted, to keep the disk free for requests meanwhile. */
async function enqueueFileRemoval(db: Deps['db'], move: Move): Promise<void> {
  if (move === 'delete') await enqueue(db, removeFiles, {});
}
