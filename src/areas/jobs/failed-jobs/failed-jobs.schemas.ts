import { type Static, t } from 'elysia';
import { Timestamp } from '../../../http/schemas.ts';
import { QueueNameSchema } from '../schemas.ts';

const FailedJobDto = t.Object(
  {
    id: t.String(),
    /** Name of the job here, as 'assets.readMetadata'. */
    name: t.String(),
    queue: QueueNameSchema,
    attempts: t.Integer({ minimum: 0 }),
    failedAt: t.Nullable(Timestamp),
    /** Message of the last attempt. */
    error: t.Nullable(t.String()),
    /** The asset that the job is about. */
    assetId: t.Nullable(t.String()),
    /** File name of an asset that the administrator may see. */
    label: t.Nullable(t.String()),
  },
  { title: 'FailedJobDto' },
);
export type FailedJob = Static<typeof FailedJobDto>;

export const FailedJobPageDto = t.Object(
  {
    items: t.Array(FailedJobDto),
    /** Continues with the next page; null: this is the last one. */
    nextCursor: t.Nullable(t.String()),
  },
  { title: 'FailedJobPageDto' },
);
export type FailedJobPage = Static<typeof FailedJobPageDto>;

export const FailedJobsQuery = t.Object({
  cursor: t.Optional(t.String({ pattern: '^[1-9][0-9]{0,17}$' })),
  size: t.Integer({ minimum: 1, maximum: 100, default: 25 }),
});
export type FailedJobsFilter = Static<typeof FailedJobsQuery>;
