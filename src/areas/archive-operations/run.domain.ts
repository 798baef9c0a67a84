import type { Deps } from '../../core/context.ts';
import { commitAsynchronously } from '../../db/transaction.ts';
import type { ArchiveOperationRow } from '../../db/tables/archive.ts';
import { inTransaction } from '../../db/transaction.ts';
import { archiveAssets, unarchiveAssets } from '../assets/index.ts';
import * as store from './store.ts';

/**
 * Archives or restores the next batch and saves the progress, in one transaction. Returns false when
 * nothing is left. An undo request takes effect between two batches.
 */
export const processNextBatch = (deps: Deps, id: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const row = await store.lockOperation(deps.db, id);
    if (!row) return false;
    if (row.status === 'queued' || row.status === 'running') return archiveNextBatch(deps, row);
    if (row.status === 'stopping' || row.status === 'undoing') return undoNextBatch(deps, row);
    return false;
  });

async function archiveNextBatch({ db, now }: Deps, row: ArchiveOperationRow): Promise<boolean> {
  const started = { status: 'running', startedAt: row.startedAt ?? now() } as const;
  const batch = await store.findNextBatch(db, row.id);
  if (!batch) {
    // An empty selection starts and completes at once.
    const running = row.status === 'running' ? row : await store.updateOperation(db, row, started);
    await store.updateOperation(db, running, { status: 'completed', finishedAt: now() });
    return false;
  }
  await commitAsynchronously(db);
  const archived = await archiveAssets(db, row.userId, batch.ids, now());
  await store.saveArchivedBatch(db, row.id, batch.position, archived);
  await store.updateOperation(db, row, {
    ...started,
    archived: row.archived + archived.ids.length,
    skipped: row.skipped + batch.ids.length - archived.ids.length,
  });
  return true;
}

async function undoNextBatch({ db, now }: Deps, row: ArchiveOperationRow): Promise<boolean> {
  const batch = await store.findNextArchivedBatch(db, row.id);
  if (!batch) {
    const undoing = row.status === 'undoing' ? row : await markUndoing(db, row, now());
    await store.updateOperation(db, undoing, { status: 'undone', undoneAt: now() });
    return false;
  }
  await commitAsynchronously(db);
  const restored = await unarchiveAssets(db, row.userId, batch, now());
  await store.markUndone(db, row.id, batch.position);
  const undoing = row.status === 'undoing' ? row : await markUndoing(db, row, now());
  await store.updateOperation(db, undoing, {
    restored: row.restored + restored,
    kept: row.kept + batch.ids.length - restored,
  });
  return true;
}

const markUndoing = (db: Deps['db'], row: ArchiveOperationRow, now: Date) =>
  store.updateOperation(db, row, { status: 'undoing', finishedAt: now });

/** Marks an operation as failed after the last attempt of its job. It can still be undone. */
export const markFailed = (deps: Deps, id: string, reason: string): Promise<void> =>
  inTransaction(deps, async ({ db, now }) => {
    const row = await store.lockOperation(db, id);
    if (!row || (row.status !== 'queued' && row.status !== 'running')) return;
    await store.updateOperation(db, row, { status: 'failed', error: reason, finishedAt: now() });
  });
