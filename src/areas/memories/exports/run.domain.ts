import { saveSources, withdrawComposites } from '../../../access/composites.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Deps } from '../../../core/context.ts';
import { isOutOfSpace } from '../../../core/disk-errors.ts';
import { AppError } from '../../../core/errors.ts';
import { reach } from '../../../core/fault-points.ts';
import type { Db } from '../../../db/client.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { Effect, JobCtx } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { toFileTitle } from '../../downloads/index.ts';
import { notify } from '../../notifications/index.ts';
import { pickLanguage } from '../../../core/languages.ts';
import type { OperationState } from '../../../db/tables/operations.ts';
import { changeFileOperation, type FileChange, isSeen } from '../../../operations/files.store.ts';
import type { OperationChange } from '../../../operations/store.ts';
import { findOwnMemory, type OwnMemory } from '../visible.domain.ts';
import { getExtension, removeFiles, removeIntermediates, storeFile } from './export-files.ts';
import { EXPORT_KINDS, type ExportOperation, getFormat } from './kind.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FAILED = 'The export failed, see the server log';

/** The run was cancelled or deleted: its job ends. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
}

/** The run cannot succeed; the message tells the owner why. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
}

/** The context of the work on a run. */
export type RunCtx = JobCtx & { readonly session: UserSession };

/**
 * Makes the file of a run and puts it into its place. Saves first of which assets. Returns its size in bytes.
 */
export type RunWork = (ctx: RunCtx, run: ExportOperation, memory: OwnMemory) => Promise<number>;

/** The body of the job of a run: from its start to its completion, failure or cancellation. */
export async function executeRun(
  ctx: JobCtx,
  exportId: string,
  work: RunWork,
): Promise<Effect | void> {
  const fail = (reason: string) => async (db: Db) => {
    await failRun({ ...ctx, db }, exportId, reason);
    return () => removeFiles(ctx.paths, [exportId]);
  };
  ctx.onFailed(async (db) => void (await fail(FAILED)(db)));
  try {
    const run = await startRun(ctx, exportId);
    reach('export.started');
    const session = await findAccountSession(ctx.db, run.accountId);
    if (!session) throw new RunEnded();
    const runCtx = { ...ctx, session };
    const memory = await findOwnMemory(
      runCtx,
      run.payload.memoryId,
      pickLanguage(run.payload.language),
    );
    if (!memory) throw new RunEnded();
    const size = await work(runCtx, run, memory);
    const objectKey = await storeFile(ctx, run);
    await requireSources(runCtx, exportId);
    return (db) => completeRun({ ...ctx, db }, run, { size, title: memory.title, objectKey });
  } catch (error) {
    if (error instanceof RunEnded) return (db) => settleEnded({ ...ctx, db }, exportId);
    const reason = await findLastingReason(ctx, error);
    if (reason === undefined || ctx.signal.aborted) throw error;
    ctx.log.warn('an export of a memory failed', { exportId, reason });
    return fail(reason);
  }
}

/** Returns the reason when another attempt would end in the same way. */
async function findLastingReason(ctx: JobCtx, error: unknown): Promise<string | undefined> {
  if (error instanceof RunFailed) return error.message;
  if (error instanceof AppError && error.kind === 'insufficientStorage') return error.message;
  if (isOutOfSpace(error)) return 'The disk has no space left for the export';
  return (await isVerdict(ctx, error)) ? (error as Error).message : undefined;
}

type Change = OperationChange<ExportOperation['progress']> & { readonly file?: FileChange };

/** Changes a run that is in one of the states. Returns undefined for any other. */
const changeRun = (db: Db, id: string, from: readonly OperationState[], change: Change) =>
  changeFileOperation(db, EXPORT_KINDS, id, from, change);

/** Throws RunEnded unless the run waits, or was begun by a job that crashed. */
async function startRun({ db, now }: Deps, id: string): Promise<ExportOperation> {
  const run = await changeRun(db, id, ['queued', 'running'], { state: 'running' });
  if (!run) throw new RunEnded();
  if (run.startedAt) return run;
  return (await changeRun(db, id, ['running'], { startedAt: now() })) ?? run;
}

export type Progress = ExportOperation['progress'] & Pick<ExportOperation, 'total'>;

const toChange = ({ total, ...progress }: Progress): Change => ({ total, progress });

/** Saves how far a run has come. Returns false when it was cancelled or deleted meanwhile. */
export const tryProgress = async (db: Db, id: string, progress: Progress): Promise<boolean> =>
  (await changeRun(db, id, ['running'], toChange(progress))) !== undefined;

/** Saves how far a run has come. Throws RunEnded when it was cancelled or deleted meanwhile. */
export async function saveProgress(
  { db, signal }: Pick<JobCtx, 'db' | 'signal'>,
  id: string,
  progress: Progress,
): Promise<void> {
  signal.throwIfAborted();
  if (!(await tryProgress(db, id, progress))) throw new RunEnded();
}

/** Saves of which assets a run is made, and how far it has come. Throws RunEnded when it was cancelled or deleted meanwhile. */
export async function saveRunSources(
  ctx: RunCtx,
  id: string,
  assetIds: ReadonlySet<string>,
  progress?: Progress,
): Promise<void> {
  await inTransaction(ctx, async ({ db }) => {
    const change = { ...(progress && toChange(progress)), file: { sourceCount: assetIds.size } };
    if (!(await changeRun(db, id, ['running'], change))) throw new RunEnded();
    await saveSources(db, id, assetIds);
  });
}

/** Throws RunEnded, and withdraws the run, if the owner may not see all its assets any more. */
async function requireSources({ db, session }: RunCtx, id: string): Promise<void> {
  if (await isSeen(db, session, id)) return;
  await withdrawComposites(db, [id]);
  throw new RunEnded();
}

type Result = {
  readonly size: number;
  readonly title: string;
  readonly objectKey: string | undefined;
};

/** Completes a run and tells its owner; a run that was cancelled at the last moment loses its file. */
async function completeRun(ctx: Deps, run: ExportOperation, result: Result) {
  const { size, title, objectKey = null } = result;
  const { db, paths, settings } = ctx;
  const now = ctx.now();
  const completed = await changeRun(db, run.id, ['running'], {
    state: 'completed',
    file: { size, objectKey, name: `${toFileTitle(title, 'Memory')}.${getExtension(run)}` },
    error: null,
    finishedAt: now,
    expiresAt: new Date(now.getTime() + settings.exportDays * DAY_MS),
  });
  if (!completed) return settleEnded(ctx, run.id);
  const what = getFormat(run) === 'archive' ? 'archive' : 'film';
  await notify(
    db,
    {
      userId: run.accountId,
      kind: 'exportReady',
      title: `Your ${what} is ready`,
      description: `${title || 'A memory'} can be downloaded for ${settings.exportDays} days.`,
      data: {
        exportId: run.id,
        memoryId: run.payload.memoryId,
        memoryName: title,
        exportKind: getFormat(run),
      },
    },
    now,
  );
  return () =>
    objectKey === null ? removeIntermediates(paths, run.id) : removeFiles(paths, [run.id]);
}

/** Ends a run that was cancelled; of a deleted one only files may be left. */
async function settleEnded({ db, now, paths }: Deps, id: string) {
  await changeRun(db, id, ['cancelling'], { state: 'cancelled', finishedAt: now() });
  return () => removeFiles(paths, [id]);
}

/** Ends a run that cannot go on: failed, or cancelled if that was asked for. */
export async function failRun(ctx: Deps, id: string, reason: string): Promise<void> {
  const { db } = ctx;
  const now = ctx.now();
  await changeRun(db, id, ['cancelling'], { state: 'cancelled', finishedAt: now });
  const run = await changeRun(db, id, ['queued', 'running'], {
    state: 'failed',
    error: reason,
    finishedAt: now,
  });
  if (!run) return;
  await notify(
    db,
    {
      userId: run.accountId,
      kind: 'jobFailed',
      title: 'An export of a memory failed',
      description: reason,
      data: { exportId: id, memoryId: run.payload.memoryId, exportKind: getFormat(run) },
    },
    now,
  );
}
