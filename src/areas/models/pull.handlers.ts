import { clearModelCache, listModelFolders } from '../../inference/capabilities.ts';
import { watchModels } from '../../inference/jobs.ts';
import { CATALOGUE } from '../../inference/models/catalogue.ts';
import { pullModels } from '../../inference/models/pull.ts';
import { findRegistry } from '../../inference/models/registry.ts';
import { prepareModels } from '../../inference/preparation.ts';
import { getOwnFolder } from '../../inference/search-models.ts';
import type { JobCtx, JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { changeOperation } from '../../operations/store.ts';
import type { pullSet } from './jobs.ts';
import { pullKind, type PullOperation, type PullProgress } from './kind.ts';

/** The progress is saved, and a cancellation noticed, every so many milliseconds. */
const SAVE_MS = 500;

export const handlePullSet: JobHandler<typeof pullSet> = async (ctx, { operationId: id }) => {
  const fail = async (db: JobCtx['db'], error: string) =>
    void (await changeOperation(db, [pullKind], id, ['queued', 'running'], {
      state: 'failed',
      error,
      finishedAt: ctx.now(),
    }));
  ctx.onFailed((db) => fail(db, 'The download failed, see the server log'));
  const pull = await changeOperation(ctx.db, [pullKind], id, ['queued', 'running'], {
    state: 'running',
    startedAt: ctx.now(),
  });
  if (!pull) return;
  const progress = saveProgress(ctx, pull);
  try {
    const signal = AbortSignal.any([ctx.signal, progress.signal]);
    await download({ ...ctx, signal }, pull, progress.set);
    // A file that cannot be prepared is reported when it is run.
    await prepareModels(listModelFolders(ctx.settings), undefined, signal);
  } catch (error) {
    if (progress.signal.aborted) return;
    // The server stops: the next attempt goes on with what is there.
    if (ctx.signal.aborted) throw error;
    const reason = (error as Error).message;
    ctx.log.warn('models could not be downloaded', { set: pull.payload.set, reason });
    return async (db) => {
      await fail(db, reason);
    };
  } finally {
    await progress.stop();
    clearModelCache();
  }
  return async (db) => {
    const done = { state: 'completed', finishedAt: ctx.now() } as const;
    await changeOperation(db, [pullKind], id, ['running'], done);
    // At once what else happens within minutes.
    await enqueue(db, watchModels, {});
  };
};

function download(
  { settings, signal }: Pick<JobCtx, 'settings' | 'signal'>,
  { payload }: PullOperation,
  onChange: (change: Partial<PullProgress>) => void,
): Promise<void> {
  let files = 0;
  let registry: string | undefined;
  return pullModels(
    CATALOGUE.filter(({ set }) => set === payload.set),
    {
      root: getOwnFolder(settings),
      registry: () => (registry ??= findRegistry()),
      signal,
      onProgress: (bytes, total) =>
        onChange({ bytes, ...(total !== undefined && { totalBytes: total }) }),
      onFile({ id }, { path, bytes }, state) {
        if (state !== 'fetching') onChange({ files: ++files, file: null });
        else onChange({ file: `${id}/${path}`, bytes: 0, totalBytes: bytes ?? null });
      },
    },
  );
}

/** Saves how far a download is, and aborts its signal once it was cancelled. */
function saveProgress({ db, restartTimeLimit }: JobCtx, { id, progress }: PullOperation) {
  const controller = new AbortController();
  let current: PullProgress = { ...progress, files: 0 };
  let saved = current;
  const save = async () => {
    // A download that goes on takes as long as it takes.
    if (current !== saved) restartTimeLimit();
    saved = current;
    const kept = await changeOperation(db, [pullKind], id, ['running'], { progress: current });
    if (!kept) controller.abort(new Error('The download was cancelled'));
  };
  let saving = Promise.resolve();
  const timer = setInterval(() => {
    saving = saving.then(save).catch(() => undefined);
  }, SAVE_MS);
  return {
    signal: controller.signal,
    set: (change: Partial<PullProgress>) => void (current = { ...current, ...change }),
    async stop(): Promise<void> {
      clearInterval(timer);
      await saving;
      if (!controller.signal.aborted) await save();
    },
  };
}
