import { asUser } from '../../access/scope.ts';
import { type Ctx, inTransaction } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { recordUndone } from './activity.domain.ts';
import { type MovedSet, moveSet } from './operation.domain.ts';
import type { Moved, Summary } from './schemas.ts';
import { findItems, type Move } from './set.store.ts';
import { summarize } from './store.ts';

/** The whole trash of the caller, as far as the session sees it. */
export const restoreAll = (ctx: Ctx): Promise<Moved> => moveAll(ctx, 'restore');

export const emptyTrash = (ctx: Ctx): Promise<Moved> => moveAll(ctx, 'delete');

const moveAll = (ctx: Ctx, move: 'restore' | 'delete'): Promise<Moved> => {
  asUser(ctx.session);
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
  await inTransaction(ctx, async (ctx) => {
    await moveNamed(ctx, force ? 'delete' : 'trash', ids);
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

async function moveNamed(ctx: Ctx, move: Move, ids: readonly string[]): Promise<MovedSet> {
  return moveSet(ctx, { move, ids: await requireItems(ctx, ids) });
}

/** The items that are meant by these ids. */
export async function requireItems(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  asUser(ctx.session);
  const unique = new Set(ids.map((id) => id.toLowerCase()));
  if (unique.size === 0) return [];
  const items = await findItems(ctx, [...unique]);
  if (items.named !== unique.size) throw noAccess('asset.delete');
  return items.ids;
}

export async function trashSummary(ctx: Ctx): Promise<Summary> {
  const { userId, unlocked } = asUser(ctx.session);
  return summarize(ctx.sql, { userId, isUnlocked: unlocked });
}
