import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';
import { EXPORT_FORMATS } from './kind.ts';

const Kind = stringEnum(EXPORT_FORMATS, { title: 'MemoryExportKind' });
const Status = stringEnum(
  ['queued', 'running', 'cancelling', 'completed', 'failed', 'cancelled', 'expired'],
  { title: 'MemoryExportStatus' },
);
const Count = t.Integer({ minimum: 0 });
const Moment = t.Nullable(Timestamp);

export const MemoryExportsQuery = t.Object({ memoryId: t.Optional(Uuid) });

/** The whole body may be omitted. */
export const MemoryExportCreateDto = t.Object(
  {
    /** highlight-video unless given. */
    kind: t.Optional(Kind),
  },
  { title: 'MemoryExportCreateDto', default: {} },
);

export const MemoryExportResponseDto = t.Object(
  {
    canSaveToLibrary: t.Boolean(),
    createdAt: Timestamp,
    error: t.Nullable(t.String()),
    expiresAt: Moment,
    fileName: t.Nullable(t.String()),
    finishedAt: Moment,
    id: Uuid,
    isDownloadable: t.Boolean(),
    kind: Kind,
    libraryAssetId: t.Nullable(Uuid),
    memoryId: Uuid,
    processed: Count,
    sizeInBytes: t.Nullable(t.Integer()),
    skipped: Count,
    startedAt: Moment,
    status: Status,
    total: Count,
  },
  { title: 'MemoryExportResponseDto' },
);
export type MemoryExport = typeof MemoryExportResponseDto.static;
