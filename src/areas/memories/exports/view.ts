import type { MemoryExportRow } from '../../../db/tables/memories.ts';
import type { MemoryExport } from './schemas.ts';

export function toMemoryExport(row: MemoryExportRow): MemoryExport {
  const isDownloadable = row.status === 'completed';
  const isSaved = row.libraryAssetId !== null;
  return {
    id: row.id,
    memoryId: row.memoryId,
    kind: row.kind,
    status: row.status,
    total: row.total,
    processed: row.processed,
    skipped: row.skipped,
    fileName: row.fileName,
    sizeInBytes: row.size,
    isDownloadable,
    canSaveToLibrary: isDownloadable && row.kind === 'highlight-video' && !isSaved,
    libraryAssetId: row.libraryAssetId,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    error: row.error,
  };
}
