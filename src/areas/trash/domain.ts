import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordMove, recordUndone } from './activity.domain.ts';
import { keptAmong } from './activity.store.ts';
import { type MovedSet, moveSet } from './operation.domain.ts';
import type { Moved, Summary, Tool } from './schemas.ts';
import { findItems, type Move } from './set.store.ts';
import { countSuppressed, summarize } from './store.ts';

/** The whole trash of the caller, as far as the session sees it. */
export const restoreAll = (ctx: Ctx): Promise<Moved> => moveAll(ctx, 'restore');

export const emptyTrash = (ctx: Ctx): Promise<Moved> => moveAll(ctx, 'delete');

const moveAll = (ctx: Ctx, move: 'restore' | 'delete'): Promise<Moved> => {
  requireUser(ctx.session);
  return inTransaction(ctx, async (ctx) => {
    const { count } = await moveSet(ctx, { move, ids: undefined });
    return { count };
  });
};

/** Into the trash, or away for good. One id that the caller cannot reach fails all of them. */
export async function deleteAssets(
  ctx: Ctx,
  ids: readonly string[],
  { force }: { readonly force: boolean },
): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    await moveNamed(ctx, force ? 'delete' : 'trash', ids);
  });
}

/** What a utility finds is not needed: into the trash, remembered so that it can be undone from there. */
export async function trashByTool(ctx: Ctx, tool: Tool, ids: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const items = await requireItems(ctx, ids);
    let moved: readonly string[] = [];
    const before = async () => {
      moved = await keptAmong(ctx.db, items);
    };
    const set = await moveSet(ctx, { move: 'trash', ids: items }, { before });
    await recordMove(ctx, tool, moved, set);
  });
}

/** Answers with the undo that this was, when a utility had moved the items. */
export async function restoreAssets(ctx: Ctx, ids: readonly string[]): Promise<Moved> {
  return inTransaction(ctx, async (ctx) => {
    const items = await requireItems(ctx, ids);
    let activityId: string | undefined;
    const before = async () => {
      activityId = await recordUndone(ctx, items);
    };
    const { count } = await moveSet(ctx, { move: 'restore', ids: items }, { before });
    return { count, ...(activityId && { activityId }) };
  });
}

/**
 * Brings an item back from the trash, Locked or not: its owner has uploaded the same file again. False
 * when it is not there.
 */
export async function restoreUploaded(ctx: Ctx, id: string): Promise<boolean> {
  const session = { ...requireUser(ctx.session), unlocked: true };
  return inTransaction({ ...ctx, session }, async (ctx) => {
    const { ids } = await findItems(ctx, [id]);
    const before = async () => void (await recordUndone(ctx, ids));
    const { count } = await moveSet(ctx, { move: 'restore', ids }, { before });
    return count > 0;
  });
}

async function moveNamed(ctx: Ctx, move: Move, ids: readonly string[]): Promise<MovedSet> {
  return moveSet(ctx, { move, ids: await requireItems(ctx, ids) });
}

/** The items that are meant by these ids. */
export async function requireItems(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  requireUser(ctx.session);
  const unique = new Set(ids.map((id) => id.toLowerCase()));
  if (unique.size === 0) return [];
  const items = await findItems(ctx, [...unique]);
  if (items.named !== unique.size) throw noAccess('asset.delete');
  return items.ids;
}

export async function trashSummary(ctx: Ctx): Promise<Summary> {
  const { contentRules, userId, unlocked } = requireUser(ctx.session);
  const summary = await summarize(ctx.db, { userId, isUnlocked: unlocked });
  if (contentRules.length === 0) return summary;
  const less = await countSuppressed(ctx.db, ctx.session);
  return {
    ...summary,
    items: summary.items - less.items,
    sizeInBytes: summary.sizeInBytes - less.bytes,
  };
}
