import type { Deps } from '../../core/context.ts';
import { commitAsynchronously, inTransaction } from '../../db/transaction.ts';
import * as batches from '../../operations/batches.store.ts';
import { lockOperation, type OperationChange, updateOperation } from '../../operations/store.ts';
import { archiveAssets, unarchiveAssets } from '../assets/index.ts';
import { archiveKind, type ArchiveOperation } from './kind.ts';

/**
 * Archives or restores the next batch and saves the progress, in one transaction. Returns false when
 * nothing is left. An undo request takes effect between two batches.
 */
export const processNextBatch = (deps: Deps, id: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const operation = await lockOperation(deps.db, archiveKind, id);
    if (operation?.state === 'queued' || operation?.state === 'running')
      return archiveNextBatch(deps, operation);
    if (operation?.state === 'cancelling' || operation?.state === 'undoing')
      return undoNextBatch(deps, operation);
    return false;
  });

type Change = OperationChange<ArchiveOperation['progress']>;
const update = ({ db }: Pick<Deps, 'db'>, operation: ArchiveOperation, change: Change) =>
  updateOperation(db, archiveKind, operation, change);

async function archiveNextBatch(deps: Deps, operation: ArchiveOperation): Promise<boolean> {
  const { db, now } = deps;
  const { id, accountId, progress } = operation;
  const batch = await batches.findNextBatch(db, id);
  const started = { state: 'running', startedAt: operation.startedAt ?? now() } as const;
  if (!batch) {
    // An empty selection starts and completes at once.
    const running = await update(deps, operation, started);
    await update(deps, running, { state: 'completed', finishedAt: now() });
    return false;
  }
  await commitAsynchronously(db);
  const archived = await archiveAssets(db, accountId, batch.ids, now());
  await batches.saveMoved(db, id, batch.position, archived);
  const skipped = batch.ids.length - archived.ids.length;
  await update(deps, operation, {
    ...started,
    progress: {
      ...progress,
      archived: progress.archived + archived.ids.length,
      skipped: progress.skipped + skipped,
    },
  });
  return true;
}

async function undoNextBatch(deps: Deps, operation: ArchiveOperation): Promise<boolean> {
  const { db, now } = deps;
  const { id, accountId, progress } = operation;
  const batch = await batches.findNextMoved(db, id);
  const undoing =
    operation.state === 'undoing'
      ? operation
      : await update(deps, operation, { state: 'undoing', finishedAt: now() });
  if (!batch) {
    const undoneAt = now().toISOString();
    await update(deps, undoing, { state: 'undone', progress: { ...progress, undoneAt } });
    return false;
  }
  await commitAsynchronously(db);
  const restored = await unarchiveAssets(db, accountId, batch, now());
  await batches.markUndone(db, id, batch.position);
  const kept = progress.kept + batch.ids.length - restored;
  await update(deps, undoing, {
    progress: { ...progress, restored: progress.restored + restored, kept },
  });
  return true;
}

/** Marks an operation as failed after the last attempt of its job. It can still be undone. */
export const markFailed = (deps: Deps, id: string, reason: string): Promise<void> =>
  inTransaction(deps, async (deps) => {
    const operation = await lockOperation(deps.db, archiveKind, id);
    if (operation?.state !== 'queued' && operation?.state !== 'running') return;
    await update(deps, operation, { state: 'failed', error: reason, finishedAt: deps.now() });
  });
