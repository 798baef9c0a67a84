import type { Deps } from '../../core/context.ts';
import { commitAsynchronously } from '../../db/transaction.ts';
import type { ArchiveOperationRow } from '../../db/tables/archive.ts';
import { inTransaction } from '../../db/transaction.ts';
import { archiveAssets, unarchiveAssets } from '../assets/index.ts';
import * as store from './store.ts';

/**
 * The next step of an operation, in one transaction: what was done and that it was done are one. A
 * request for undoing comes between two steps. False: there is nothing left to do.
 */
export const workOn = (deps: Deps, id: string): Promise<boolean> =>
  inTransaction(deps, async (deps) => {
    const row = await store.lock(deps.db, id);
    if (!row) return false;
    if (row.status === 'queued' || row.status === 'running') return archiveSome(deps, row);
    if (row.status === 'stopping' || row.status === 'undoing') return undoSome(deps, row);
    return false;
  });

async function archiveSome({ db, now }: Deps, row: ArchiveOperationRow): Promise<boolean> {
  const started = { status: 'running', startedAt: row.startedAt ?? now() } as const;
  const batch = await store.nextBatch(db, row.id);
  if (!batch) {
    // A selection of nothing starts and ends at once.
    const running = row.status === 'running' ? row : await store.update(db, row, started);
    await store.update(db, running, { status: 'completed', finishedAt: now() });
    return false;
  }
  await commitAsynchronously(db);
  const archived = await archiveAssets(db, row.userId, batch.ids, now());
  await store.keepArchived(db, row.id, batch.position, archived);
  await store.update(db, row, {
    ...started,
    archived: row.archived + archived.ids.length,
    skipped: row.skipped + batch.ids.length - archived.ids.length,
  });
  return true;
}

async function undoSome({ db, now }: Deps, row: ArchiveOperationRow): Promise<boolean> {
  const batch = await store.nextArchived(db, row.id);
  if (!batch) {
    const undoing = row.status === 'undoing' ? row : await toUndoing(db, row, now());
    await store.update(db, undoing, { status: 'undone', undoneAt: now() });
    return false;
  }
  await commitAsynchronously(db);
  const restored = await unarchiveAssets(db, row.userId, batch, now());
  await store.markUndone(db, row.id, batch.position);
  const undoing = row.status === 'undoing' ? row : await toUndoing(db, row, now());
  await store.update(db, undoing, {
    restored: row.restored + restored,
    kept: row.kept + batch.ids.length - restored,
  });
  return true;
}

/** Archiving has stopped. */
const toUndoing = (db: Deps['db'], row: ArchiveOperationRow, now: Date) =>
  store.update(db, row, { status: 'undoing', finishedAt: now });

/** After the last attempt of its job; what was archived can still be undone. */
export const markFailed = (deps: Deps, id: string, reason: string): Promise<void> =>
  inTransaction(deps, async ({ db, now }) => {
    const row = await store.lock(db, id);
    if (!row || (row.status !== 'queued' && row.status !== 'running')) return;
    await store.update(db, row, { status: 'failed', error: reason, finishedAt: now() });
  });
