import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { QueueName } from '../../../jobs/define.ts';

const FAILED_JOB_COLUMNS = {
  /** bigint as text */
  id: column.text,
  name: column.text,
  attempts: column.integer,
  failedAt: column.timestamptz.orNull,
  error: column.text.orNull,
  assetId: column.text.orNull,
};
export type FailedJobView = InferRow<typeof FAILED_JOB_COLUMNS>;

/** Returns the failed jobs of a queue that were enqueued before the job `cursor`, newest first. */
export const listFailedJobs = (
  db: Db,
  queue: QueueName,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
): Promise<FailedJobView[]> =>
  queryRows(
    db,
    FAILED_JOB_COLUMNS,
    sql`
    select job.id::text, job.name, job.attempt as attempts, job.finished_at as "failedAt",
      job.last_error as error, job.payload ->> 'assetId' as "assetId"
    from job where job.queue = ${queue} and job.state = 'failed'
      and (${cursor ?? null}::bigint is null or job.id < ${cursor ?? null}::bigint)
    order by job.id desc limit ${limit}`,
  );
