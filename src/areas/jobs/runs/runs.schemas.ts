import { t } from 'elysia';
import { JOB_RUN_TARGETS, JOB_RUN_TRIGGERS } from '../../../db/tables/jobs.ts';
import { stringEnum, Timestamp, Uuid } from '../../../http/schemas.ts';
import { QueueNameSchema } from '../schemas.ts';

const Count = t.Integer({ minimum: 0 });
/** UUID of any version. */
const AnyUuid = t.String({ format: 'uuid' });
const Instant = t.Nullable(Timestamp);

const JobRunDto = t.Object(
  {
    id: AnyUuid,
    /** Manual job, job, or queue that was started. */
    name: t.String(),
    queue: QueueNameSchema,
    trigger: stringEnum(JOB_RUN_TRIGGERS, { title: 'JobRunTrigger' }),
    status: stringEnum(['queued', 'running', 'paused', 'completed', 'failed', 'cancelled'], {
      title: 'JobRunStatus',
    }),
    force: t.Boolean(),
    /** Null while items are being added. */
    total: t.Nullable(Count),
    processed: Count,
    succeeded: Count,
    failed: Count,
    skipped: Count,
    requestedById: t.Nullable(Uuid),
    createdAt: Timestamp,
    startedAt: Instant,
    finishedAt: Instant,
    error: t.Nullable(t.String()),
  },
  { title: 'JobRunDto' },
);
export type JobRun = typeof JobRunDto.static;

const JobRunItemDto = t.Object(
  {
    id: AnyUuid,
    runId: AnyUuid,
    targetType: stringEnum(JOB_RUN_TARGETS, { title: 'JobRunItemTarget' }),
    targetId: t.Nullable(AnyUuid),
    /** File name of an item that the administrator may see. */
    label: t.Nullable(t.String()),
    status: stringEnum(['queued', 'running', 'succeeded', 'failed', 'skipped'], {
      title: 'JobRunItemStatus',
    }),
    attempts: Count,
    startedAt: Instant,
    finishedAt: Instant,
    error: t.Nullable(t.String()),
  },
  { title: 'JobRunItemDto' },
);
export type JobRunItem = typeof JobRunItemDto.static;

const page = { total: Count, skip: t.Integer(), take: t.Integer() };

export const JobRunPageDto = t.Object(
  { items: t.Array(JobRunDto), ...page },
  { title: 'JobRunPageDto' },
);
export const JobRunItemPageDto = t.Object(
  { items: t.Array(JobRunItemDto), ...page },
  { title: 'JobRunItemPageDto' },
);

export const PageQuery = t.Object({
  skip: t.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0 }),
  take: t.Integer({ minimum: 1, maximum: 100, default: 25 }),
});
export type Page = typeof PageQuery.static;

export const JobRunParams = t.Object({ id: AnyUuid });
