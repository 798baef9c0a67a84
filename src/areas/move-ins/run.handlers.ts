import { hostname } from 'node:os';
import { findAccountSession } from '../../access/account-session.ts';
import type { Deps } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Effect, JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { JobPostponed } from '../../jobs/postpone.ts';
import { isNodeAlive, isNodeElsewhere } from '../../nodes/store.ts';
import { changeOperation, lockOperation, updateOperation } from '../../operations/store.ts';
import { openStaging } from '../../staging/staging.ts';
import { type ImportReport, ImmichUnavailable, isServerAway } from '../imports/index.ts';
import { takeInAccount } from './account.domain.ts';
import { nameFaces, type runMoveIn } from './jobs.ts';
import { forgetKey, requestKey } from './keys.ts';
import { FolderUnavailable, findOwnerSession, takeInFolder } from './folder.domain.ts';
import { areHere, removeArchives } from './archives/files.ts';
import { takeInArchives, unpackArchives } from './archives/run.domain.ts';
import {
  type ArchivesMoveIn,
  type ArchivesProgress,
  getArchives,
  isFromArchives,
  isFromFolder,
  isFromServer,
  isUnpacking,
  moveInKind,
  type MoveInOperation,
  requireServer,
} from './kind.ts';
import { pauses } from './patience.ts';
import { getExpiry } from './prepare.domain.ts';
import { lockOwn, type Run, saveProgress } from './progress.ts';
import type { MoveInReason } from './schemas.ts';
import { deleteFailures, hasOtherRun } from './store.ts';

const OTHER_NODE_MS = 1000;
const OWN_TURN_MS = 5000;
const STARTED = ['queued', 'running'] as const;

export const handleRunMoveIn: JobHandler<typeof runMoveIn> = async (ctx, { operationId: id }) => {
  ctx.onFailed(async (db) => {
    const change = { state: 'failed', error: 'failed' satisfies MoveInReason } as const;
    await changeOperation(db, [moveInKind], id, STARTED, { ...change, finishedAt: ctx.now() });
  });
  const known = await lockOperation(ctx.db, moveInKind, id);
  if (known) await requireNode(ctx, known);
  const key = known && !isFromServer(known) ? '' : await requestKey(id);
  if (key === undefined) return waitForKey(ctx, id);
  const operation = await beginRun(ctx, id);
  if (!operation) return;
  const session = await findSession(ctx, operation);
  if (!session) return pause(ctx, operation, 'account_missing');
  const progress = saveProgress(ctx, operation);
  const signal = AbortSignal.any([ctx.signal, progress.signal]);
  let outcome: Outcome | undefined;
  let awayReason: MoveInReason = 'unreachable';
  try {
    outcome = await takeIn({ ...ctx, session }, operation, { key, signal, progress });
    if ('taken' in outcome) progress.setReport(outcome);
  } catch (error) {
    if (progress.signal.aborted) return forgetIfOver(ctx, id);
    // The server stops: the next attempt goes on with what is there.
    const isAway = error instanceof ImmichUnavailable || error instanceof FolderUnavailable;
    if (ctx.signal.aborted || !isAway) throw error;
    ctx.log.warn('a move is paused', { reason: error.code });
    if (error.code === 'key_refused') forgetKey(id);
    if (!isServerAway(error)) return pause(ctx, operation, error.code);
    awayReason = error.code;
  } finally {
    await progress.stop();
  }
  if (progress.signal.aborted) return forgetIfOver(ctx, id);
  // When all else is saved.
  if (!outcome) return giveUpSlot(ctx, operation, awayReason);
  if (!('taken' in outcome)) return offer(ctx, operation, outcome);
  return outcome.stopCode ? pause(ctx, operation, outcome.stopCode) : complete(ctx, operation);
};

/** The result of a run: a report of the import, or the state of the archives that it has unpacked. */
type Outcome = ImportReport | Required<ArchivesProgress>;

/** Forgets the key of a move that was cancelled, maybe by a request to another process, and what was unpacked since. */
async function forgetIfOver({ db, paths }: Deps, id: string): Promise<void> {
  const operation = await lockOperation(db, moveInKind, id);
  if (operation && operation.state !== 'cancelled') return;
  forgetKey(id);
  await removeArchives(paths, id);
}

/** The key is where it was given. If that process has ended, the account is asked for it again. */
async function waitForKey(ctx: JobCtx, id: string): Promise<void> {
  await inTransaction(ctx, async ({ db, now }) => {
    const operation = await lockOperation(db, moveInKind, id);
    if (operation?.state !== 'queued' && operation?.state !== 'running') return;
    const { keyHolder } = operation.progress;
    if (keyHolder !== null && (await isNodeAlive(db, keyHolder))) {
      throw new JobPostponed('The API key is in the memory of another process', OTHER_NODE_MS);
    }
    await updateOperation(db, moveInKind, operation, {
      state: 'prepared',
      error: 'interrupted' satisfies MoveInReason,
      startedAt: operation.startedAt ?? now(),
      progress: { ...operation.progress, isAway: false, awaySince: null },
    });
  });
}

/** Returns the operation, which now runs from its beginning; undefined if it should not run. */
const beginRun = (deps: Deps, id: string): Promise<MoveInOperation | undefined> =>
  inTransaction(deps, async ({ db, now }) => {
    const operation = await lockOperation(db, moveInKind, id);
    if (operation?.state !== 'queued' && operation?.state !== 'running') return undefined;
    // Slots are shared by accounts, not by moves.
    if (await hasOtherRun(db, operation)) {
      throw new JobPostponed('Another move of the account runs', OWN_TURN_MS);
    }
    await deleteFailures(db, id);
    const isAway = Boolean(operation.progress.awaySince);
    const none = { assets: 0, albums: 0, tags: 0, failures: 0, noted: 0, isAway };
    return updateOperation(db, moveInKind, operation, {
      state: 'running',
      startedAt: isUnpacking(operation) ? operation.startedAt : (operation.startedAt ?? now()),
      progress: { ...operation.progress, ...none },
    });
  });

/**
 * Puts the move back into the queue, so that others get the slot, and throws JobPostponed. Returns the effect of a pause when
 * the server has been away for too long.
 */
async function giveUpSlot(
  ctx: JobCtx,
  operation: MoveInOperation,
  reason: MoveInReason,
): Promise<Effect> {
  const now = ctx.now();
  const isOver = await inTransaction(ctx, async ({ db }) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return false;
    const since = locked.progress.awaySince ?? now.toISOString();
    if (now.getTime() - Date.parse(since) > pauses.giveUp) return true;
    const progress = { ...locked.progress, isAway: true, awaySince: since };
    await updateOperation(db, moveInKind, locked, { state: 'queued', progress });
    return false;
  });
  if (isOver) return pause(ctx, operation, reason);
  throw new JobPostponed('The other server is away', pauses.most);
}

/** A folder is on the machine of the node at which the move was started; on any one after that has ended. */
async function requireNode(ctx: JobCtx, operation: MoveInOperation): Promise<void> {
  if (isFromArchives(operation)) return requireStaging(ctx, operation);
  if (!isFromFolder(operation)) return;
  const { db } = ctx;
  const { keyHolder: node } = operation.progress;
  if (node === null || !(await isNodeElsewhere(db, node, hostname()))) return;
  throw new JobPostponed('The folder is on another machine', OTHER_NODE_MS);
}

/** Archives are in the folder of unfinished uploads that has received them; its machine may be started again. */
async function requireStaging(ctx: JobCtx, { payload }: ArchivesMoveIn): Promise<void> {
  // A thread does not know it yet.
  if (ctx.settings.databaseUrl !== undefined) await openStaging(ctx.paths);
  if (!areHere(ctx, payload)) throw new JobPostponed('The archives are elsewhere', OTHER_NODE_MS);
}

const findSession = (ctx: JobCtx, operation: MoveInOperation) =>
  isFromFolder(operation)
    ? findOwnerSession(ctx, operation)
    : findAccountSession(ctx.db, operation.accountId);

function takeIn(
  ctx: Parameters<typeof takeInAccount>[0],
  operation: MoveInOperation,
  run: Run & { readonly key: string },
): Promise<Outcome> {
  if (isFromFolder(operation)) return takeInFolder(ctx, operation, run);
  if (isFromArchives(operation)) {
    const isPacked = getArchives(operation).phase === 'unpack';
    return isPacked ? unpackArchives(ctx, operation, run) : takeInArchives(ctx, operation, run);
  }
  return takeInAccount(ctx, requireServer(operation), run);
}

/** Pauses the move when its job is completed, unless somebody has done so meanwhile. */
const pause =
  ({ now }: Deps, operation: MoveInOperation, error: MoveInReason): Effect =>
  async (db) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return;
    const progress = { ...locked.progress, isAway: false, awaySince: null };
    const expiresAt = getExpiry(locked, now());
    await updateOperation(db, moveInKind, locked, {
      state: 'prepared',
      error,
      progress,
      expiresAt,
      startedAt: locked.startedAt ?? now(),
    });
  };

/** Offers what was unpacked: the account decides whether it is taken in. */
const offer =
  ({ now }: Deps, operation: MoveInOperation, archives: Required<ArchivesProgress>): Effect =>
  async (db) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return;
    await updateOperation(db, moveInKind, locked, {
      state: 'prepared',
      total: archives.found.photos + archives.found.videos,
      startedAt: null,
      expiresAt: getExpiry(locked, now()),
      progress: { ...locked.progress, archives },
    });
  };

const complete =
  ({ now, paths }: Deps, operation: MoveInOperation): Effect =>
  async (db) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return;
    const done = { state: 'completed', finishedAt: now() } as const;
    await updateOperation(db, moveInKind, locked, done);
    await enqueue(db, nameFaces, {});
    return async () => {
      forgetKey(operation.id);
      if (isFromArchives(operation)) await removeArchives(paths, operation.id);
    };
  };
