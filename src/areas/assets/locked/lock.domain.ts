import { asUser, ownedAmong } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Visibility } from '../schemas.ts';
import * as store from './lock.store.ts';

/**
 * Locks whole stacks and live photos, whichever member is named. What is locked already may be named
 * in any session: asking twice is no error.
 */
export async function lockAssets(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const user = asUser(ctx.session);
  await inTransaction(ctx, async (ctx) => {
    await requireOwned({ ...ctx, session: { ...user, unlocked: true } }, ids);
    await store.lockWhole(ctx.db, ids, ctx.now());
  });
}

/** For a session whose PIN was entered; the route asks for it. */
export async function unlockAssets(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await requireOwned(ctx, ids);
    await store.unlockWhole(ctx.db, ids, ctx.now());
  });
}

/** One id that is not the caller's fails all of them. */
async function requireOwned(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const unique = new Set(ids.map((id) => id.toLowerCase()));
  const owned = await ownedAmong(ctx.db, ctx.session, [...unique]);
  if (owned.size === unique.size) return;
  throw badRequest('Not found or no asset.update access', { code: 'no_access' });
}

/**
 * Moves assets of the caller to a shelf or into Locked, by the rules of locking and unlocking: what
 * is unlocked goes back where it was, unless another shelf than the Timeline is named. Call it in a
 * transaction; who may do this has been checked.
 */
export async function setVisibility(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  ids: readonly string[],
  visibility: Visibility,
): Promise<void> {
  if (visibility === 'locked') return store.lockWhole(db, ids, now());
  const locked = await store.lockedAmong(db, ids);
  await store.unlockWhole(db, locked, now());
  const isLocked = new Set(locked);
  const moved = visibility === 'timeline' ? ids.filter((id) => !isLocked.has(id)) : ids;
  await store.putOnShelf(db, moved, visibility, now());
}
