import { t } from 'elysia';
import { stringEnum, Timestamp, Uuid } from '../../http/schemas.ts';

const ARCHIVE_STATUSES = [
  'prepared',
  'expired',
  'queued',
  'running',
  'completed',
  'failed',
  'stopping',
  'undoing',
  'undone',
] as const;
export type ArchiveStatus = (typeof ARCHIVE_STATUSES)[number];

const Count = t.Integer({ minimum: 0 });
const Moment = t.Nullable(Timestamp);
/** The caller's own name of a request; of any version. */
const RequestId = t.Optional(t.String({ format: 'uuid' }));

export const ArchiveOperationCreateDto = t.Object(
  { assetIds: t.Array(Uuid, { minItems: 1, maxItems: 50_000 }), requestId: RequestId },
  { title: 'ArchiveOperationCreateDto' },
);
export type Creation = typeof ArchiveOperationCreateDto.static;

export const ArchiveOperationPrepareDto = t.Object(
  { requestId: RequestId },
  { title: 'ArchiveOperationPrepareDto' },
);

export const ArchiveOperationConfirmDto = t.Object(
  { expectedCount: Count },
  { title: 'ArchiveOperationConfirmDto' },
);

export const ArchiveOperationUndoDto = t.Object(
  { expectedRevision: t.Optional(t.Integer({ minimum: 1 })) },
  { title: 'ArchiveOperationUndoDto' },
);

export const ArchiveOperationResponseDto = t.Object(
  {
    id: Uuid,
    source: stringEnum(['timeline', 'selection'], { title: 'ArchiveOperationSource' }),
    status: stringEnum(ARCHIVE_STATUSES, { title: 'ArchiveOperationStatus' }),
    revision: t.Integer({ minimum: 1 }),
    total: Count,
    processed: Count,
    archived: Count,
    skipped: Count,
    failed: Count,
    restored: Count,
    kept: Count,
    canConfirm: t.Boolean(),
    canUndo: t.Boolean(),
    createdAt: Timestamp,
    confirmedAt: Moment,
    startedAt: Moment,
    finishedAt: Moment,
    undoRequestedAt: Moment,
    undoneAt: Moment,
    expiresAt: Moment,
    error: t.Nullable(t.String()),
  },
  { title: 'ArchiveOperationResponseDto' },
);
export type Operation = typeof ArchiveOperationResponseDto.static;
