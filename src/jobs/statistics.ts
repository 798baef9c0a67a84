import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { prepareQuery } from '../db/query.ts';
import { QUEUE_NAMES, type QueueName } from './define.ts';

const STATISTICS_COLUMNS = {
  name: column.text.as<QueueName>(),
  isPaused: column.boolean,
  /** Due jobs that no worker has taken yet. */
  waiting: column.integer,
  /** Jobs that are not due yet. */
  delayed: column.integer,
  running: column.integer,
  /** Jobs that have used up their attempts and are still in the queue. */
  failed: column.integer,
  /** Seconds since the oldest waiting job was due; null: none waits. */
  oldestSeconds: column.float.orNull,
  /** Jobs of all time that ended well, of all machines. */
  succeededTotal: column.float,
  /** Jobs of all time that used up their attempts, of all machines. */
  failedTotal: column.float,
};
export type QueueStatistics = InferRow<typeof STATISTICS_COLUMNS>;

const isDue = sql`state = 'waiting' and run_at <= now()`;

const selectStatistics = prepareQuery(
  STATISTICS_COLUMNS,
  sql`
  with counted as (
    select queue, count(*) filter (where ${isDue})::int as waiting,
      count(*) filter (where state = 'waiting' and run_at > now())::int as delayed,
      count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'failed')::int as failed,
      extract(epoch from now() - min(run_at) filter (where ${isDue}))::float8 as oldest
    from job group by queue
  ), ended as (
    select queue, sum(jobs)::float8 as succeeded, sum(failed)::float8 as failed
    from job_done group by queue
  )
  select wanted.name, coalesce(queue.is_paused, false) as "isPaused",
    coalesce(waiting, 0) as waiting, coalesce(delayed, 0) as delayed,
    coalesce(running, 0) as running, coalesce(counted.failed, 0) as failed,
    oldest as "oldestSeconds", coalesce(succeeded, 0) as "succeededTotal",
    coalesce(ended.failed, 0) as "failedTotal"
  from unnest(${sql.placeholder('names')}::text[]) with ordinality wanted (name, place)
  left join queue on queue.name = wanted.name
  left join counted on counted.queue = wanted.name
  left join ended on ended.queue = wanted.name
  order by wanted.place`,
);

/** Returns one entry per queue. Reads all jobs: 0.3 s where a million wait. */
export const measureQueues = (db: Db): Promise<QueueStatistics[]> =>
  selectStatistics(db, { names: `{${QUEUE_NAMES.join(',')}}` });
