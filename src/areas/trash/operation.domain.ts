import type { Ctx, Deps } from '../../core/context.ts';
import { requireUser } from '../../access/scope.ts';
import { commitAsynchronously, inTransaction } from '../../db/transaction.ts';
import { enqueue } from '../../jobs/queue.ts';
import { moveItems as moveItemsJob, removeFiles } from './jobs.ts';
import { moveItems } from './moves.store.ts';
import * as store from './operation.store.ts';
import { freezeItems, holdItems, type Move, type Target } from './set.store.ts';

/** Above this a move goes on in the background: a request should not take longer than a moment. */
export const AT_ONCE = 5000;
/** Items of one transaction in the background: about 50 ms. */
export const BATCH = 500;

export type MovedSet = {
  readonly count: number;
  /** With the video halves of live photos. */
  readonly bytes: number;
  /** Over the ids and states of the items. */
  readonly hash: Uint8Array;
  readonly trashedAt: Date;
};

export type MoveOptions = {
  /** Throws when these are not the items to move; nothing has changed then. */
  readonly check?: ((hash: Uint8Array) => void) | undefined;
  /** After the items are known and before any of them moves. */
  readonly before?: (() => Promise<void>) | undefined;
};

/**
 * Moves a set of items, which is fixed now: few at once, many by a job that works through what was
 * written down. The first of those move at once too, so that what is on the screen changes. Call in
 * a transaction.
 */
export async function moveSet(
  ctx: Ctx,
  target: Target,
  { check, before }: MoveOptions = {},
): Promise<MovedSet> {
  const at = { trashedAt: ctx.now(), now: ctx.now() };
  const held = await holdItems(ctx, target, AT_ONCE);
  if (held) {
    check?.(held.hash);
    await before?.();
    await moveItems(ctx.db, target.move, { ids: held.ids }, at);
    await removeLeftFiles(ctx.db, target.move);
    return { ...held, ...at };
  }
  const operationId = await store.insertOperation(ctx.db, {
    userId: requireUser(ctx.session).userId,
    action: target.move,
    createdAt: at.trashedAt,
  });
  const frozen = await freezeItems(ctx, target, { operationId, size: BATCH });
  check?.(frozen.hash);
  await before?.();
  await enqueue(ctx.db, moveItemsJob, { operationId });
  await moveBatch(ctx, operationId);
  return { ...frozen, ...at };
}

/** The next batch of a move, in one transaction; false when there is none left. */
export const workOn = (deps: Deps, operationId: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const moved = await moveBatch(deps, operationId);
    // What is deleted is followed by its files, which do not come back.
    if (moved === 'trash' || moved === 'restore') await commitAsynchronously(deps.db);
    return moved !== undefined;
  });

/** Answers what was done with the next batch; nothing when there is none left. */
async function moveBatch(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  id: string,
): Promise<Move | undefined> {
  const operation = await store.lockOperation(db, id);
  if (!operation) return undefined;
  const batch = await store.takeBatch(db, id);
  if (!batch) {
    await store.deleteOperation(db, id);
    await removeLeftFiles(db, operation.action);
    return undefined;
  }
  const { action, createdAt } = operation;
  await moveItems(db, action, batch, { trashedAt: createdAt, now: now() });
  return action;
}

/** After all rows: meanwhile the disk and the database are for whoever looks at photos. */
async function removeLeftFiles(db: Deps['db'], move: Move): Promise<void> {
  if (move === 'delete') await enqueue(db, removeFiles, {});
}
