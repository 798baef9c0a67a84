import { findAccountSession } from '../../access/account-session.ts';
import type { Deps } from '../../core/context.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Effect, JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { JobPostponed } from '../../jobs/postpone.ts';
import { isNodeAlive } from '../../nodes/store.ts';
import { changeOperation, lockOperation, updateOperation } from '../../operations/store.ts';
import { importFromImmich, type ImportReport, ImmichUnavailable } from '../imports/index.ts';
import { createMoveInClient } from './client.ts';
import { listNamedFaces } from './faces.ts';
import { nameFaces, type runMoveIn } from './jobs.ts';
import { forgetKey, requestKey } from './keys.ts';
import { moveInKind, type MoveInOperation } from './kind.ts';
import { createPatience } from './patience.ts';
import { lockOwn, saveProgress } from './progress.ts';
import type { MoveInReason } from './schemas.ts';
import { deleteFailures } from './store.ts';

/** After these, the wait for a server that is away begins. */
export const timing = { attempts: 3, pauseMs: 1000 };
const OTHER_NODE_MS = 1000;
const STARTED = ['queued', 'running'] as const;

export const handleRunMoveIn: JobHandler<typeof runMoveIn> = async (ctx, { operationId: id }) => {
  ctx.onFailed(async (db) => {
    const change = { state: 'failed', error: 'failed' satisfies MoveInReason } as const;
    await changeOperation(db, [moveInKind], id, STARTED, { ...change, finishedAt: ctx.now() });
  });
  const key = await requestKey(id);
  if (key === undefined) return waitForKey(ctx, id);
  const operation = await beginRun(ctx, id);
  const session = operation && (await findAccountSession(ctx.db, operation.accountId));
  if (!session) return;
  const progress = saveProgress(ctx, operation);
  const signal = AbortSignal.any([ctx.signal, progress.signal]);
  let report: ImportReport;
  try {
    report = await takeIn({ ...ctx, session }, operation, { key, signal, progress });
    progress.setReport(report);
  } catch (error) {
    if (progress.signal.aborted) return forgetIfOver(ctx, id);
    // The server stops: the next attempt goes on with what is there.
    if (ctx.signal.aborted || !(error instanceof ImmichUnavailable)) throw error;
    ctx.log.warn('a move from another server is paused', { reason: error.code });
    if (error.code === 'key_refused') forgetKey(id);
    return pause(operation, error.code);
  } finally {
    await progress.stop();
  }
  if (progress.signal.aborted) return forgetIfOver(ctx, id);
  return report.stopCode ? pause(operation, report.stopCode) : complete(ctx, operation);
};

/** Forgets the key of a move that was cancelled, maybe by a request to another process. */
async function forgetIfOver({ db }: Deps, id: string): Promise<void> {
  const operation = await lockOperation(db, moveInKind, id);
  if (!operation || operation.state === 'cancelled') forgetKey(id);
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
      progress: { ...operation.progress, isAway: false },
    });
  });
}

/** Returns the operation, which now runs from its beginning; undefined if it should not run. */
const beginRun = (deps: Deps, id: string): Promise<MoveInOperation | undefined> =>
  inTransaction(deps, async ({ db, now }) => {
    const operation = await lockOperation(db, moveInKind, id);
    if (operation?.state !== 'queued' && operation?.state !== 'running') return undefined;
    await deleteFailures(db, id);
    const none = { assets: 0, albums: 0, tags: 0, failures: 0, isAway: false };
    return updateOperation(db, moveInKind, operation, {
      state: 'running',
      startedAt: operation.startedAt ?? now(),
      progress: { ...operation.progress, ...none },
    });
  });

type Run = {
  readonly key: string;
  readonly signal: AbortSignal;
  readonly progress: ReturnType<typeof saveProgress>;
};

function takeIn(
  ctx: Parameters<typeof importFromImmich>[0],
  { payload, accountId }: MoveInOperation,
  { key, signal, progress }: Run,
): Promise<ImportReport> {
  const patience = createPatience(signal);
  const showWaiting = () => progress.set({ isAway: patience.isWaiting() });
  const client = createMoveInClient({
    address: payload.url,
    key,
    signal,
    timing,
    settings: ctx.settings,
    isAdmin: ctx.session.kind === 'user' && ctx.session.isAdmin,
    onAnswer() {
      patience.end();
      showWaiting();
    },
    whenAway(fault) {
      const waiting = patience.whenAway(fault);
      showWaiting();
      return waiting;
    },
  });
  return importFromImmich(
    ctx,
    { ownerId: accountId, client },
    {},
    {
      onProgress(assets, _total, report) {
        progress.set({ assets });
        progress.setReport(report);
      },
      onCollection(kind, done, report) {
        progress.set({ [kind]: done });
        progress.setReport(report);
      },
      onItem: (assetId, asset) => progress.addFaces(listNamedFaces(assetId, asset)),
      onRefused: (refusal) => progress.addFailure(refusal),
    },
  );
}

/** Pauses the move when its job is completed, unless somebody has done so meanwhile. */
const pause =
  (operation: MoveInOperation, error: MoveInReason): Effect =>
  async (db) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return;
    const progress = { ...locked.progress, isAway: false };
    await updateOperation(db, moveInKind, locked, { state: 'prepared', error, progress });
  };

const complete =
  ({ now }: Deps, operation: MoveInOperation): Effect =>
  async (db) => {
    const locked = await lockOwn(db, operation);
    if (!locked) return;
    const done = { state: 'completed', finishedAt: now() } as const;
    await updateOperation(db, moveInKind, locked, done);
    await enqueue(db, nameFaces, {});
    return async () => forgetKey(operation.id);
  };
