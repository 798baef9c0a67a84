import type { OperationState } from '../../db/tables/operations.ts';
import type { ArchiveOperation } from './kind.ts';
import type { ArchiveStatus, Operation } from './schemas.ts';

/** The states of an operation by their names for clients: one that is cancelled is undone. */
const STATUSES: Readonly<Record<Exclude<OperationState, 'cancelled'>, ArchiveStatus>> = {
  prepared: 'prepared',
  queued: 'queued',
  running: 'running',
  cancelling: 'stopping',
  undoing: 'undoing',
  completed: 'completed',
  failed: 'failed',
  undone: 'undone',
  expired: 'expired',
};

export const getStatus = ({ state }: Pick<ArchiveOperation, 'state'>): ArchiveStatus =>
  state === 'cancelled' ? 'undone' : STATUSES[state];

type State = Pick<ArchiveOperation, 'state'>;

export const canConfirm = ({ state }: State): boolean => state === 'prepared';

export const canUndo = ({ state }: State): boolean =>
  ['prepared', 'queued', 'running', 'completed', 'failed'].includes(state);

const instant = (date: Date | null): string | null => date && date.toISOString();

export function toOperation(operation: ArchiveOperation): Operation {
  const { progress, payload } = operation;
  return {
    id: operation.id,
    source: payload.source,
    status: getStatus(operation),
    revision: operation.revision,
    total: operation.total,
    processed: progress.archived + progress.skipped,
    archived: progress.archived,
    skipped: progress.skipped,
    // Batches are atomic: operations fail, items do not.
    failed: 0,
    restored: progress.restored,
    kept: progress.kept,
    canConfirm: canConfirm(operation),
    canUndo: canUndo(operation),
    createdAt: operation.createdAt.toISOString(),
    confirmedAt: progress.confirmedAt,
    startedAt: instant(operation.startedAt),
    finishedAt: instant(operation.finishedAt),
    undoRequestedAt: progress.undoRequestedAt,
    undoneAt: progress.undoneAt,
    expiresAt: instant(operation.expiresAt),
    error: operation.error,
  };
}
