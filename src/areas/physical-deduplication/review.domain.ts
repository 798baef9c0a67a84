import type { Ctx } from '../../core/context.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AppError, invalidField, notFound } from '../../core/errors.ts';
import { toHex } from '../../core/hash.ts';
import { requireValue } from '../../core/required.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { PlanRow } from '../../db/tables/physical-deduplication.ts';
import { isAsRecorded } from './inspection.ts';
import * as plans from './plans.store.ts';
import * as store from './preview.store.ts';
import { listRecordedFiles } from './review.store.ts';
import type { ReviewRequest, ReviewResponse } from './schemas.ts';

/**
 * Saves decisions about copies of the latest plan. Throws 409 and saves nothing when the plan was replaced
 * or applied, or when what it is based on does not hold any more.
 */
export async function reviewPlan(
  ctx: Ctx,
  { planId, fingerprint, decisions }: ReviewRequest,
): Promise<ReviewResponse> {
  // Disks may be slow: before the plan is locked.
  const isOnDisk = await areOnDisk(ctx, planId, decisions);
  return inTransaction(ctx, async ({ db, now }) => {
    const plan = await plans.lockPlan(db, planId);
    requireReviewable(plan);
    const present = toHex(requireValue(plan.fingerprint, 'fingerprint of a plan'));
    const isStale = present !== fingerprint;
    if (isStale || !isOnDisk || (await store.countChanged(db, planId)) > 0) {
      throw refuse('evidence_changed', 'Files of the plan have changed: make a new preview');
    }
    const ids = new Set(decisions.map(({ copyId }) => copyId));
    const saved = await store.saveDecisions(db, planId, decisions);
    if (ids.size < decisions.length || saved < decisions.length) {
      throw invalidField(
        'decisions',
        'One decision for each copy of the plan, and for nothing else',
      );
    }
    const reviewedAt = now();
    await plans.updatePlan(db, planId, { status: 'reviewed', reviewedAt });
    const { bytes, ...counts } = await store.countDecisions(db, planId);
    return {
      planId,
      fingerprint,
      status: 'reviewed',
      reviewedAt: reviewedAt.toISOString(),
      ...counts,
      reclaimableBytes: bytes,
    };
  });
}

/** Files that are looked at together. */
const PART_SIZE = 64;

/** Whether the files that are decided about, and those that stay for them, are on the disk as they were shown. */
async function areOnDisk(
  { db, paths }: Ctx,
  planId: string,
  decisions: ReviewRequest['decisions'],
): Promise<boolean> {
  const copyIds = decisions.map(({ copyId }) => copyId);
  const files = await listRecordedFiles(db, planId, copyIds);
  for (let at = 0; at < files.length; at += PART_SIZE) {
    const part = files.slice(at, at + PART_SIZE);
    const found = await Promise.all(part.map((file) => isAsRecorded(paths, file)));
    if (found.includes(false)) return false;
  }
  return true;
}

function requireReviewable(plan: PlanRow | undefined): asserts plan is PlanRow {
  const status = plan?.status;
  if (status === 'superseded') {
    throw refuse('plan_superseded', 'A newer preview has replaced the plan');
  }
  if (status === 'applying' || status === 'applied') {
    throw refuse('plan_already_applied', 'The plan was applied');
  }
  if (status !== 'previewed' && status !== 'reviewed') throw notFound('Plan');
}

const refuse = (code: ErrorCode, message: string) => new AppError('conflict', message, { code });
