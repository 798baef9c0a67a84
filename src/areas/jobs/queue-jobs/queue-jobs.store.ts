import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { QueueName } from '../../../jobs/define.ts';

export type JobState = 'active' | 'failed' | 'delayed' | 'waiting' | 'paused';

const JOB_VIEW_COLUMNS = {
  /** bigint as text */
  id: column.text,
  name: column.text,
  payload: column.json<Readonly<Record<string, unknown>>>(),
  createdMs: column.float,
};

export type JobView = InferRow<typeof JOB_VIEW_COLUMNS>;

/** Returns the oldest jobs of a queue in one of these states. Waiting jobs of a paused queue are paused. */
export const listJobs = (
  db: Db,
  name: QueueName,
  states: readonly JobState[],
  limit: number,
): Promise<JobView[]> =>
  queryRows(
    db,
    JOB_VIEW_COLUMNS,
    sql`
    select job.id::text, job.name, job.payload,
      floor(date_part('epoch', job.created_at) * 1000)::float8 as "createdMs"
    from job left join queue on queue.name = job.queue
    where job.queue = ${name} and job.state in ('waiting', 'running', 'failed') and case
      when job.state = 'running' then 'active'
      when job.state = 'failed' then 'failed'
      when job.run_at > now() then 'delayed'
      when queue.is_paused then 'paused'
      else 'waiting' end = any(${`{${states.join(',')}}`}::text[])
    order by job.id limit ${limit}`,
  );
