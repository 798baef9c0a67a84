import { type Static, t } from 'elysia';
import { stringEnum } from '../../../http/schemas.ts';

/** Clients know these. */
const IMMICH_JOBS = [
  'AssetDelete',
  'AssetDetectDuplicates',
  'AssetDetectFaces',
  'AssetEditThumbnailGeneration',
  'AssetEncodeVideo',
  'AssetEmptyTrash',
  'AssetExtractMetadata',
  'AssetGenerateThumbnails',
  'AuditTableCleanup',
  'DatabaseBackup',
  'FacialRecognition',
  'FileDelete',
  'LibrarySyncFiles',
  'MemoryCleanup',
  'MemoryGenerate',
  'NotificationsCleanup',
  'NotifyAlbumUpdate',
  'PersonCleanup',
  'PersonGenerateThumbnail',
  'SendMail',
  'SidecarCheck',
  'SmartSearch',
  'StorageTemplateMigration',
  'FileMigrationQueueAll',
  'TagCleanup',
  'UserDelete',
  'Ocr',
  'WorkflowAssetTrigger',
  'IntegrityChecksumFiles',
] as const;
export type ImmichJob = (typeof IMMICH_JOBS)[number];

export const QueueJobResponseDto = t.Object(
  {
    id: t.String(),
    name: stringEnum(IMMICH_JOBS, { title: 'JobName' }),
    data: t.Object({}, { additionalProperties: true }),
    /** Milliseconds since 1970 when it was enqueued. */
    timestamp: t.Integer(),
  },
  { title: 'QueueJobResponseDto' },
);
export type QueueJob = Static<typeof QueueJobResponseDto>;

const QueueJobStatus = stringEnum(
  ['active', 'failed', 'completed', 'delayed', 'waiting', 'paused'],
  { title: 'QueueJobStatus' },
);

export const QueueJobsQuery = t.Object({
  status: t.Optional(t.Union([QueueJobStatus, t.Array(QueueJobStatus)])),
});
export type QueueJobsSearch = Static<typeof QueueJobsQuery>;

export const QueueDeleteDto = t.Object(
  { failed: t.Optional(t.Boolean()) },
  { title: 'QueueDeleteDto' },
);
export type QueueDelete = Static<typeof QueueDeleteDto>;
