import type { Deps } from '../../core/context.ts';
import { badRequest } from '../../core/errors.ts';
import { reach } from '../../core/fault-points.ts';
import { CannotShareError, shareBlocks } from '../../core/share-blocks.ts';
import type { Db } from '../../db/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ApplyRow, FormerFiles } from '../../db/tables/physical-deduplication.ts';
import { enqueueRun, type NewRun } from '../../jobs/runs.ts';
import { hasAccount, readConfig } from '../system-config/index.ts';
import * as store from './apply.store.ts';
import { deleteQuarantined, exists, FileMoveError, moveToQuarantine } from './former-file.ts';
import { getFilePath, inspectFile, type Inspection, isUnchanged, type Pace } from './inspection.ts';
import { applyPlan } from './jobs.ts';
import { findReadyPlan, lockPlan, updatePlan } from './plans.store.ts';

type StartedBy = Pick<NewRun, 'name' | 'trigger' | 'requestedBy'>;

/** Starts to apply the latest plan. Throws 400 unless it is reviewed, and a master account is saved. */
export async function startApply(db: Db, started: StartedBy, now: Date): Promise<void> {
  const latest = await findReadyPlan(db);
  const plan = latest && (await lockPlan(db, latest.id));
  if (plan?.status !== 'reviewed') throw badRequest('The latest plan has not been reviewed');
  const config = (await readConfig(db, 'physicalDeduplication')).physicalDeduplication;
  const { masterUserId, formerFiles } = config;
  if (masterUserId === null || !(await hasAccount(db, masterUserId))) {
    throw badRequest('No master account is saved');
  }
  const total = await store.countApproved(db, plan.id);
  const applyId = await store.insertApply(db, {
    planId: plan.id,
    masterUserId,
    formerFiles,
    total,
    startedAt: now,
  });
  await updatePlan(db, plan.id, { status: 'applying' });
  await enqueueRun(db, { ...started, queue: applyPlan.queue }, applyPlan, { applyId });
}

/** Ends a run, and with it what can be done with its plan. */
export async function endApply(
  db: Db,
  { id, planId }: Pick<ApplyRow, 'id' | 'planId'>,
  status: 'completed' | 'failed',
  finishedAt: Date,
): Promise<void> {
  await store.updateApply(db, id, { status, finishedAt });
  await updatePlan(db, planId, { status: 'applied' });
}

/** Fails the runs whose job was deleted, or has failed for good. What they have applied can be restored. */
export async function failAbandoned(ctx: Deps): Promise<void> {
  for (const apply of await store.listAbandoned(ctx.db)) {
    await inTransaction(ctx, ({ db, now }) => endApply(db, apply, 'failed', now()));
  }
}

/** Verifies files, and remembers the verdict on the retained file of the last group. */
export type Reader = {
  readonly readRetained: (copy: store.Copy) => Promise<Inspection>;
  readonly readCopy: (copy: store.Copy) => Promise<Inspection>;
  readonly pace: Pace | undefined;
};

export function createReader({ paths }: Pick<Deps, 'paths'>, pace?: Pace): Reader {
  let last: { readonly groupId: string; readonly found: Promise<Inspection> } | undefined;
  return {
    readRetained(copy) {
      if (last?.groupId !== copy.groupId) {
        last = { groupId: copy.groupId, found: inspectFile(paths, toRetained(copy), pace) };
      }
      return last.found;
    },
    readCopy: (copy) => inspectFile(paths, copy, pace),
    pace,
  };
}

export const toRetained = ({ retainedPath: path, sha256, size }: store.Copy) => ({
  path,
  sha256,
  size,
});

/** A copy cannot be applied; nothing was changed. */
class NotAppliedError extends Error {}

/**
 * Applies an approved copy: its item is read from the retained file from now on. Both files are read before.
 * If that is not possible, the reason is recorded.
 */
export async function applyCopy(
  ctx: Deps,
  { formerFiles }: Pick<ApplyRow, 'formerFiles'>,
  copy: store.Copy,
  reader: Reader,
): Promise<void> {
  let verified: Inspection['file'];
  try {
    verified = await release(ctx, formerFiles, copy, reader);
  } catch (error) {
    if (!(error instanceof NotAppliedError)) throw error;
    await inTransaction(ctx, async ({ db }) => {
      await store.updateCopy(db, copy.id, { state: 'failed', problem: error.message });
      await store.addProgress(db, copy.planId, { processed: 1, failed: 1 });
    });
    return;
  }
  reach('copy.committed');
  if (formerFiles === 'quarantine') await quarantineCopy(ctx, copy, verified);
}

/** Returns the state of the former file that was read. */
async function release(
  ctx: Deps,
  formerFiles: FormerFiles,
  copy: store.Copy,
  { readRetained, readCopy, pace }: Reader,
): Promise<Inspection['file']> {
  const retained = await readRetained(copy);
  if (!retained.checksumMatches) throw new NotAppliedError('The retained file is not as reviewed');
  const former = await readCopy(copy);
  if (!former.checksumMatches) throw new NotAppliedError('The file is not as reviewed');
  if (former.file === retained.file) throw new NotAppliedError('Both paths are the same file');
  reach('copy.verified');
  const outcome =
    formerFiles === 'share-blocks'
      ? await share(ctx, copy, pace)
      : ({ formerFile: formerFiles, problem: null } as const);
  await inTransaction(ctx, async ({ db, paths }) => {
    await store.lockContent(db, copy.sha256);
    const isCurrent =
      (await store.isCurrent(db, copy)) &&
      (await isUnchanged(paths, toRetained(copy), retained)) &&
      (outcome.formerFile === 'share-blocks' || (await isUnchanged(paths, copy, former)));
    if (!isCurrent) throw new NotAppliedError('The files have changed since the review');
    await store.releaseFile(db, copy);
    await store.updateCopy(db, copy.id, { state: 'applied', ...outcome });
    await store.addProgress(db, copy.planId, {
      processed: outcome.formerFile === 'quarantine' ? 0 : 1,
      reclaimedBytes: outcome.formerFile === 'share-blocks' ? copy.size : 0,
    });
    reach('copy.saved');
  });
  return former.file;
}

/** Falls back to leaving the file as it is. */
async function share({ paths }: Deps, copy: store.Copy, pace: Pace | undefined) {
  try {
    const [from, to] = [getFilePath(paths, toRetained(copy)), getFilePath(paths, copy)];
    await shareBlocks(from, to, copy.size, pace);
    return { formerFile: 'share-blocks', problem: null } as const;
  } catch (error) {
    if (!(error instanceof CannotShareError)) throw error;
    return { formerFile: 'leave', problem: error.message } as const;
  }
}

/** Goes on after an interruption: the file may have been changed meanwhile, so it is read again. */
export async function resumeQuarantine(
  ctx: Deps,
  copy: store.Copy,
  { readCopy }: Reader,
): Promise<void> {
  const { checksumMatches, file } = await readCopy(copy);
  await quarantineCopy(ctx, copy, checksumMatches ? file : undefined);
}

/** Moves the file of an applied copy to the quarantine. Where that is not possible it stays, with the reason. */
async function quarantineCopy(
  ctx: Deps,
  copy: store.Copy,
  verified: Inspection['file'],
): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { db, now } = ctx;
    const row = await store.lockApplied(db, copy);
    if (!row || row.quarantinedAt) return;
    try {
      await moveToQuarantine(ctx, copy, verified);
      await store.updateCopy(db, copy.id, { quarantinedAt: now() });
    } catch (error) {
      if (!(error instanceof FileMoveError)) throw error;
      // The file of a move to another disk that was not completed.
      if (await exists(copy.path)) await deleteQuarantined(ctx.paths, copy.id);
      await store.updateCopy(db, copy.id, { formerFile: 'leave', problem: error.message });
    }
    await store.addProgress(db, copy.planId, { processed: 1 });
    reach('copy.recorded');
  });
}
