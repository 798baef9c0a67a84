import type { Ctx } from '../../../core/context.ts';
import { AppError } from '../../../core/errors.ts';
import { toInstant } from '../../assets/index.ts';
import type { JobRun, JobRunItem, Page } from './runs.schemas.ts';
import * as store from './runs.store.ts';

export async function listRuns({ db }: Ctx, { skip, take }: Page) {
  const rows = await store.listRuns(db, { skip, take });
  return { items: rows.map(toRun), total: await store.countRuns(db), skip, take };
}

/** Names only assets that the administrator may see. Throws 404 for an unknown run. */
export async function listItems({ db, session }: Ctx, runId: string, { skip, take }: Page) {
  const total = await store.countItems(db, runId);
  if (total === undefined) {
    throw new AppError('notFound', 'Job run not found', { detail: { code: 'not_found' } });
  }
  const rows = await store.listItems(db, runId, { skip, take });
  const assetIds = rows.flatMap(({ targetType, targetId }) =>
    targetType === 'asset' && targetId ? [targetId] : [],
  );
  const names = await store.listFileNames(db, session, assetIds);
  const items = rows.map((row): JobRunItem => ({
    ...row,
    runId,
    label: names.get(row.targetId ?? '') ?? null,
    startedAt: toInstantOrNull(row.startedAt),
    finishedAt: toInstantOrNull(row.finishedAt),
  }));
  return { items, total, skip, take };
}

const toInstantOrNull = (text: string | null): string | null => text && toInstant(text);

const hasEnded = (run: store.RunView): boolean =>
  run.isCounted && run.succeeded + run.failed + run.skipped >= run.items;

function getStatus(run: store.RunView): JobRun['status'] {
  if (run.error !== null) return 'failed';
  if (hasEnded(run)) {
    if (run.isCancelled) return 'cancelled';
    return run.failed > 0 && run.succeeded === 0 ? 'failed' : 'completed';
  }
  if (run.isRunning) return 'running';
  if (run.isPaused) return 'paused';
  return run.startedAt === null ? 'queued' : 'running';
}

const toRun = (run: store.RunView): JobRun => ({
  id: run.id,
  name: run.name,
  queue: run.queue,
  trigger: run.trigger,
  status: getStatus(run),
  force: run.isForced,
  total: run.isCounted ? run.items : null,
  processed: run.succeeded + run.failed + run.skipped,
  succeeded: run.succeeded,
  failed: run.failed,
  skipped: run.skipped,
  requestedById: run.requestedBy,
  createdAt: toInstant(run.createdAt),
  startedAt: toInstantOrNull(run.startedAt),
  finishedAt: hasEnded(run) ? toInstantOrNull(run.finishedAt ?? run.countedAt) : null,
  error: run.error,
});
