import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, conflict, invalidField } from '../../../core/errors.ts';
import { newSecret, sha256, toHex } from '../../../core/hash.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { recordMove, recordUndo } from '../activity/activity.domain.ts';
import { filterNotTrashed } from '../activity/activity.store.ts';
import { moveSet } from '../moves/operation.domain.ts';
import * as store from './review.store.ts';
import type { Action, ApplyRequest, Moved, Review, ReviewRequest, Tool } from '../schemas.ts';
import { findItems, reviewItems, type MoveTarget } from '../moves/item-set.store.ts';

const LIFETIME_MS = 60 * 60 * 1000;

const reviewChanged = () =>
  conflict('The items have changed since the review', { code: 'review_changed' });
const reviewExpired = () =>
  conflict('The review was used or has expired: review again', { code: 'review_expired' });

/** Returns what an action would do, and a token that allows it once, on exactly this set. */
export async function reviewTrash(ctx: Ctx, request: ReviewRequest): Promise<Review> {
  const { userId } = requireUser(ctx.session);
  const { action, tool } = request;
  const named = getRequestedIds(request);
  const items = named && (await findItems(ctx, named));
  if (items && items.named !== named.length) {
    throw badRequest('Not found or no asset.delete access', { code: 'no_access' });
  }
  const found = await reviewItems(ctx, toTarget(action, items?.ids));
  const token = newSecret();
  const expiresAt = new Date(ctx.now().getTime() + LIFETIME_MS);
  const fingerprint = computeFingerprint(action, tool, found.hash);
  await keepLimit(ctx, 'trashReview', { ownerId: userId }, ({ db }) =>
    store.insertReview(db, { tokenHash: sha256(token), userId, action, fingerprint, expiresAt }),
  );
  return {
    action,
    count: found.count,
    sizeInBytes: found.bytes,
    sharedOriginals: found.shared,
    token,
    expiresAt: expiresAt.toISOString(),
  };
}

/** Finds and locks the set again and moves it. Throws 409 unless it is the reviewed set. */
export async function applyReview(ctx: Ctx, request: ApplyRequest): Promise<Moved> {
  const { userId } = requireUser(ctx.session);
  const { action, tool, token } = request;
  const named = getRequestedIds(request);
  return inTransaction(ctx, async (ctx) => {
    const review = await store.lockReview(ctx.db, sha256(token));
    if (!review || review.userId !== userId || review.action !== action) throw reviewChanged();
    if (review.usedAt || review.expiresAt <= ctx.now()) throw reviewExpired();
    // A deleted item changes the fingerprint.
    const ids = named && (await findItems(ctx, named)).ids;
    const expected = toHex(review.fingerprint);
    let activityId: string | undefined;
    let trashed: readonly string[] = [];
    const moved = await moveSet(ctx, toTarget(action, ids), {
      verify(hash) {
        if (toHex(computeFingerprint(action, tool, hash)) !== expected) throw reviewChanged();
      },
      async beforeMove() {
        if (action === 'restore' && ids) activityId = await recordUndo(ctx, ids);
        if (tool && ids) trashed = await filterNotTrashed(ctx.db, ids);
      },
    });
    if (tool) activityId = await recordMove(ctx, tool, trashed, moved);
    await store.markUsed(ctx.db, review.tokenHash, ctx.now());
    return { count: moved.count, ...(activityId && { activityId }) };
  });
}

/** Returns the ids of the request, or undefined for actions on the whole trash. Throws 400. */
function getRequestedIds({ action, assetIds, tool }: ReviewRequest): string[] | undefined {
  if (tool && action !== 'trash') throw invalidField('tool', 'Only for the action trash');
  const isWhole = action === 'restore-all' || action === 'empty';
  if (isWhole && assetIds) throw invalidField('assetIds', `Not for the action ${action}`);
  if (isWhole) return undefined;
  if (!assetIds) throw invalidField('assetIds', `Required for the action ${action}`);
  const ids = new Set(assetIds.map((id) => id.toLowerCase()));
  if (ids.size !== assetIds.length) throw invalidField('assetIds', 'Ids must be unique');
  return [...ids];
}

function toTarget(action: Action, ids: readonly string[] | undefined): MoveTarget {
  if (!ids) return { move: action === 'empty' ? 'delete' : 'restore', ids };
  return { move: action === 'trash' || action === 'restore' ? action : 'delete', ids };
}

/**
 * Returns the digest that a review token stands for: this action by this tool on these items in their
 * current state. `hash` covers the items (item-set.store.ts).
 */
function computeFingerprint(action: Action, tool: Tool | undefined, hash: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${action}\n${tool ?? ''}\n`), hash]));
}
