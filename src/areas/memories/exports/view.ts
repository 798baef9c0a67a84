import type { OperationState } from '../../../db/tables/operations.ts';
import { type ExportOperation, getFormat } from './kind.ts';
import { getFilmOptions } from './options.ts';
import type { MemoryExport } from './schemas.ts';

/** The states of exports by their names for clients; none is prepared or undone. */
const STATUSES: Readonly<Record<OperationState, MemoryExport['status']>> = {
  prepared: 'queued',
  queued: 'queued',
  running: 'running',
  cancelling: 'cancelling',
  undoing: 'cancelling',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  undone: 'cancelled',
  expired: 'expired',
};

export function toMemoryExport(operation: ExportOperation): MemoryExport {
  const { file, payload, progress } = operation;
  const kind = getFormat(operation);
  const film = kind === 'highlight-video' ? getFilmOptions(operation) : undefined;
  const isDownloadable = operation.state === 'completed';
  return {
    id: operation.id,
    memoryId: payload.memoryId,
    kind,
    format: film?.format ?? null,
    music: film?.music ?? null,
    status: STATUSES[operation.state],
    total: operation.total,
    processed: progress.processed,
    skipped: progress.skipped,
    fileName: file.name,
    sizeInBytes: file.size,
    isDownloadable,
    canSaveToLibrary: isDownloadable && kind === 'highlight-video' && file.assetId === null,
    libraryAssetId: file.assetId,
    createdAt: operation.createdAt.toISOString(),
    startedAt: operation.startedAt?.toISOString() ?? null,
    finishedAt: operation.finishedAt?.toISOString() ?? null,
    expiresAt: operation.expiresAt?.toISOString() ?? null,
    error: operation.error,
  };
}
