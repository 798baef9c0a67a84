import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, conflict, invalidField } from '../../core/errors.ts';
import { newSecret, sha256, toHex } from '../../core/hash.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordMove, recordUndone } from './activity.domain.ts';
import { keptAmong } from './activity.store.ts';
import { fingerprintOf } from './fingerprint.ts';
import { moveSet } from './operation.domain.ts';
import * as store from './review.store.ts';
import type { Action, ApplyRequest, Moved, Review, ReviewRequest } from './schemas.ts';
import { findItems, reviewItems, type Target } from './set.store.ts';

const LIFETIME_MS = 60 * 60 * 1000;

const reviewChanged = () =>
  conflict('These are no longer the items that were reviewed', { code: 'review_changed' });
const reviewExpired = () =>
  conflict('The review is used or too old; review again', { code: 'review_expired' });

/** What an action would do. Nothing changes; the token lets it happen once, and to this set only. */
export async function reviewTrash(ctx: Ctx, request: ReviewRequest): Promise<Review> {
  const { userId } = requireUser(ctx.session);
  const { action, tool } = request;
  const named = namedIn(request);
  const items = named && (await findItems(ctx, named));
  if (items && items.named !== named.length) {
    throw badRequest('Not found or no asset.delete access', { code: 'no_access' });
  }
  const found = await reviewItems(ctx, targetOf(action, items?.ids));
  const token = newSecret();
  const expiresAt = new Date(ctx.now().getTime() + LIFETIME_MS);
  await store.insertReview(ctx.db, {
    tokenHash: sha256(token),
    userId,
    action,
    fingerprint: fingerprintOf(action, tool, found.hash),
    expiresAt,
  });
  return {
    action,
    count: found.count,
    sizeInBytes: found.bytes,
    sharedOriginals: found.shared,
    token,
    expiresAt: expiresAt.toISOString(),
  };
}

/** Finds the set again and moves it if it is the one that was reviewed, all under lock. */
export async function applyReview(ctx: Ctx, request: ApplyRequest): Promise<Moved> {
  const { userId } = requireUser(ctx.session);
  const { action, tool, token } = request;
  const named = namedIn(request);
  return inTransaction(ctx, async (ctx) => {
    const review = await store.lockReview(ctx.db, sha256(token));
    if (!review || review.userId !== userId || review.action !== action) throw reviewChanged();
    if (review.usedAt || review.expiresAt <= ctx.now()) throw reviewExpired();
    // An id that is gone by now is a difference like any other.
    const ids = named && (await findItems(ctx, named)).ids;
    const expected = toHex(review.fingerprint);
    let activityId: string | undefined;
    let trashed: readonly string[] = [];
    const moved = await moveSet(ctx, targetOf(action, ids), {
      check(hash) {
        if (toHex(fingerprintOf(action, tool, hash)) !== expected) throw reviewChanged();
      },
      async before() {
        if (action === 'restore' && ids) activityId = await recordUndone(ctx, ids);
        if (tool && ids) trashed = await keptAmong(ctx.db, ids);
      },
    });
    if (tool) activityId = await recordMove(ctx, tool, trashed, moved);
    await store.markUsed(ctx.db, review.tokenHash, ctx.now());
    return { count: moved.count, ...(activityId && { activityId }) };
  });
}

/** The ids that the action is about; undefined when it is about the whole trash. */
function namedIn({ action, assetIds, tool }: ReviewRequest): string[] | undefined {
  if (tool && action !== 'trash') throw invalidField('tool', 'Only for the action trash');
  const isWhole = action === 'restore-all' || action === 'empty';
  if (isWhole && assetIds) throw invalidField('assetIds', `Not for the action ${action}`);
  if (isWhole) return undefined;
  if (!assetIds) throw invalidField('assetIds', `Required for the action ${action}`);
  const ids = new Set(assetIds.map((id) => id.toLowerCase()));
  if (ids.size !== assetIds.length) throw invalidField('assetIds', 'Each id once');
  return [...ids];
}

function targetOf(action: Action, ids: readonly string[] | undefined): Target {
  if (!ids) return { move: action === 'empty' ? 'delete' : 'restore', ids };
  return { move: action === 'trash' || action === 'restore' ? action : 'delete', ids };
}
