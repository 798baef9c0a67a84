import type { ArchiveOperationRow } from '../../db/tables/archive.ts';
import type { Operation } from './schemas.ts';

type State = Pick<ArchiveOperationRow, 'status'>;

export const canConfirm = ({ status }: State): boolean => status === 'prepared';

export const canUndo = ({ status }: State): boolean =>
  ['prepared', 'queued', 'running', 'completed', 'failed'].includes(status);

const instant = (date: Date | null): string | null => date && date.toISOString();

export const toOperation = (row: ArchiveOperationRow): Operation => ({
  id: row.id,
  source: row.source,
  status: row.status,
  revision: row.revision,
  total: row.total,
  processed: row.archived + row.skipped,
  archived: row.archived,
  skipped: row.skipped,
  // Batches are atomic: operations fail, items do not.
  failed: 0,
  restored: row.restored,
  kept: row.kept,
  canConfirm: canConfirm(row),
  canUndo: canUndo(row),
  createdAt: row.createdAt.toISOString(),
  confirmedAt: instant(row.confirmedAt),
  startedAt: instant(row.startedAt),
  finishedAt: instant(row.finishedAt),
  undoRequestedAt: instant(row.undoRequestedAt),
  undoneAt: instant(row.undoneAt),
  expiresAt: instant(row.expiresAt),
  error: row.error,
});
