import { requireUser } from '../../access/scope.ts';
import type { Ctx, Deps } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { requireValue } from '../../core/required.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordMove, recordUndo } from './activity/activity.domain.ts';
import { filterNotTrashed } from './activity/activity.store.ts';
import { type MoveResult, moveSet } from './moves/operation.domain.ts';
import type { Moved, Summary, Tool } from './schemas.ts';
import { findItems, lockItems, type Move } from './moves/item-set.store.ts';
import { countSuppressed, sumTrash } from './store.ts';
import { restoreItems, trashItems } from './moves/moves.store.ts';
import { listItemsWithOriginal } from './moves/originals.store.ts';

/** Restores everything in the trash that the session may see. */
export const restoreAll = (ctx: Ctx): Promise<Moved> => moveWholeTrash(ctx, 'restore');

export const emptyTrash = (ctx: Ctx): Promise<Moved> => moveWholeTrash(ctx, 'delete');

const moveWholeTrash = (ctx: Ctx, move: 'restore' | 'delete'): Promise<Moved> => {
  requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const { count } = await moveSet(ctx, { move, ids: undefined });
    return { count };
  });
};

/**
 * Moves assets to the trash, or deletes them permanently with `force`. Throws 400 unless the caller
 * owns all of them.
 */
export async function deleteAssets(
  ctx: Ctx,
  ids: readonly string[],
  { force }: { readonly force: boolean },
): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    await moveItemsById(ctx, force ? 'delete' : 'trash', ids);
  });
}

/** Moves assets to the trash for a utility and records the move, so that it can be undone. */
export async function trashForTool(ctx: Ctx, tool: Tool, ids: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const items = await getItemIds(ctx, ids);
    let moved: readonly string[] = [];
    const before = async () => {
      moved = await filterNotTrashed(ctx.db, items);
    };
    const set = await moveSet(ctx, { move: 'trash', ids: items }, { beforeMove: before });
    await recordMove(ctx, tool, moved, set);
  });
}

/** Restores assets. Returns the recorded activity if a utility had moved them. */
export async function restoreAssets(ctx: Ctx, ids: readonly string[]): Promise<Moved> {
  return inTransaction(ctx, async (ctx) => {
    const items = await getItemIds(ctx, ids);
    let activityId: string | undefined;
    const before = async () => {
      activityId = await recordUndo(ctx, items);
    };
    const { count } = await moveSet(ctx, { move: 'restore', ids: items }, { beforeMove: before });
    return { count, ...(activityId && { activityId }) };
  });
}

/**
 * Restores an item, locked or not, whose file its owner has uploaded again. Returns false when it is
 * not in the trash.
 */
export async function restoreAfterUpload(ctx: Ctx, id: string): Promise<boolean> {
  const session = { ...requireUser(ctx.session), unlocked: true };
  return inTransaction({ ...ctx, session }, async (ctx) => {
    const { ids } = await findItems(ctx, [id]);
    const found = await lockItems(ctx, { move: 'restore', ids }, ids.length);
    const locked = requireValue(found, 'set of items within its limit');
    await recordUndo(ctx, ids);
    return (await restoreItems(ctx.db, { ids: locked.ids }, ctx.now())) > 0;
  });
}

async function moveItemsById(ctx: Ctx, move: Move, ids: readonly string[]): Promise<MoveResult> {
  return moveSet(ctx, { move, ids: await getItemIds(ctx, ids) });
}

/**
 * Returns the items of these ids: the still for the video of a live photo. Throws 400 unless the caller
 * owns all of them.
 */
async function getItemIds(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  requireUser(ctx.session);
  const unique = new Set(ids.map((id) => id.toLowerCase()));
  if (unique.size === 0) return [];
  const items = await findItems(ctx, [...unique]);
  if (items.named !== unique.size) throw noAccess('asset.delete');
  return items.ids;
}

export async function getTrashSummary(ctx: Ctx): Promise<Summary> {
  const { contentRules, userId, unlocked } = requireUser(ctx.session);
  const summary = await sumTrash(ctx.db, { userId, isUnlocked: unlocked });
  if (contentRules.length === 0) return summary;
  const suppressed = await countSuppressed(ctx.db, ctx.session);
  return {
    ...summary,
    items: summary.items - suppressed.items,
    sizeInBytes: summary.sizeInBytes - suppressed.bytes,
  };
}

/**
 * Moves all items to the trash, of all accounts, whose own content this original (SHA-256 in hex) is: not the
 * still of a live photo whose video it is. Returns their number. Call it in a transaction.
 */
export async function trashItemsWithOriginal(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  hash: string,
): Promise<number> {
  const ids = await listItemsWithOriginal(db, hash);
  return trashItems(db, { ids }, now());
}
