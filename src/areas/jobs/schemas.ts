import { type Static, t } from 'elysia';
import { stringEnum } from '../../http/schemas.ts';
import { QUEUE_NAMES, type QueueName } from '../../jobs/define.ts';

const Count = t.Integer({ minimum: 0 });

const QueueStatisticsDto = t.Object(
  {
    active: Count,
    completed: Count,
    delayed: Count,
    failed: Count,
    paused: Count,
    waiting: Count,
  },
  { title: 'QueueStatisticsDto' },
);

const QueueStatusLegacyDto = t.Object(
  { isActive: t.Boolean(), isPaused: t.Boolean() },
  { title: 'QueueStatusLegacyDto' },
);

export const QueueResponseLegacyDto = t.Object(
  { jobCounts: QueueStatisticsDto, queueStatus: QueueStatusLegacyDto },
  { title: 'QueueResponseLegacyDto' },
);
export type QueueResponseLegacyDto = Static<typeof QueueResponseLegacyDto>;

const perQueue = Object.fromEntries(
  QUEUE_NAMES.map((name) => [name, QueueResponseLegacyDto]),
) as Record<QueueName, typeof QueueResponseLegacyDto>;

/** Generated clients require exactly these keys. */
export const QueuesResponseLegacyDto = t.Object(perQueue, { title: 'QueuesResponseLegacyDto' });

export const QueueNameSchema = stringEnum(QUEUE_NAMES, { title: 'QueueName' });
export const QueueParams = t.Object({ name: QueueNameSchema });

export const QueueCommandDto = t.Object(
  {
    command: stringEnum(['start', 'pause', 'resume', 'empty', 'clear-failed'], {
      title: 'QueueCommand',
    }),
    force: t.Optional(t.Boolean()),
  },
  { title: 'QueueCommandDto' },
);
export type QueueCommandDto = Static<typeof QueueCommandDto>;

const MANUAL_JOB_NAMES = [
  'person-cleanup',
  'tag-cleanup',
  'user-cleanup',
  'memory-cleanup',
  'memory-create',
  'backup-database',
  'integrity-missing-files',
  'integrity-untracked-files',
  'integrity-checksum-mismatch',
  'integrity-missing-files-refresh',
  'integrity-untracked-files-refresh',
  'integrity-checksum-mismatch-refresh',
  'integrity-missing-files-delete-all',
  'integrity-untracked-files-delete-all',
  'integrity-checksum-mismatch-delete-all',
  'physical-deduplication-apply',
  'video-enrichment-refresh',
  'document-refresh',
] as const;
export type ManualJobName = (typeof MANUAL_JOB_NAMES)[number];

export const JobCreateDto = t.Object(
  { name: stringEnum(MANUAL_JOB_NAMES, { title: 'ManualJobName' }) },
  { title: 'JobCreateDto' },
);
export type JobCreateDto = Static<typeof JobCreateDto>;

export const QueueResponseDto = t.Object(
  { name: QueueNameSchema, isPaused: t.Boolean(), statistics: QueueStatisticsDto },
  { title: 'QueueResponseDto' },
);
export type QueueResponseDto = Static<typeof QueueResponseDto>;

export const QueueUpdateDto = t.Object(
  { isPaused: t.Optional(t.Boolean()) },
  { title: 'QueueUpdateDto' },
);
export type QueueUpdateDto = Static<typeof QueueUpdateDto>;
