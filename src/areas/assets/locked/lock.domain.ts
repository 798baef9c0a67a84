import { requireUser, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Visibility } from '../schemas.ts';
import * as store from './lock.store.ts';

/**
 * Locks the assets with their whole stacks and live photos. Works in any session on assets that are
 * locked already. Throws 400 unless all are the caller's own.
 */
export async function lockAssets(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const user = requireUser(ctx.session);
  await inTransaction(ctx, async (ctx) => {
    await requireOwned({ ...ctx, session: { ...user, unlocked: true } }, ids);
    await store.lockWholeItems(ctx.db, ids, ctx.now());
  });
}

/**
 * Unlocks the assets with their whole stacks and live photos. The route requires an unlocked session.
 * Throws 400 unless all are the caller's own.
 */
export async function unlockAssets(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await requireOwned(ctx, ids);
    await store.unlockWholeItems(ctx.db, ids, ctx.now());
  });
}

async function requireOwned(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const unique = new Set(ids.map((id) => id.toLowerCase()));
  const owned = await ownedAmong(ctx.db, ctx.session, [...unique]);
  if (owned.size === unique.size) return;
  throw badRequest('Not found or no asset.update access', { code: 'no_access' });
}

/**
 * Changes the visibility of assets by the rules of locking and unlocking: 'timeline' returns a locked
 * asset to its stored visibility. Call it in a transaction. Does not check access.
 */
export async function setVisibility(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  ids: readonly string[],
  visibility: Visibility,
): Promise<void> {
  if (visibility === 'locked') return store.lockWholeItems(db, ids, now());
  const locked = await store.filterLocked(db, ids);
  await store.unlockWholeItems(db, locked, now());
  const isLocked = new Set(locked);
  const moved = visibility === 'timeline' ? ids.filter((id) => !isLocked.has(id)) : ids;
  await store.updateVisibility(db, moved, visibility, now());
}
