import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, prepareQuery, queryRows } from '../../db/query.ts';
import { QUEUE_NAMES, type QueueName } from '../../jobs/define.ts';
import { ENDED_COLUMNS, settleItems } from '../../jobs/run-items.ts';
import { requeueAssets } from '../assets/index.ts';
import { planSidecars, settleLibrary } from '../libraries/index.ts';
import { clusterFaces, reclusterAll } from '../people/index.ts';
import { indexText } from '../search/index.ts';

const QUEUE_COLUMNS = {
  name: column.text,
  is_paused: column.boolean,
  waiting: column.integer,
  delayed: column.integer,
  running: column.integer,
  failed: column.integer,
  done: column.float,
};

export type QueueRow = InferRow<typeof QUEUE_COLUMNS>;

const DAY_MS = 24 * 3_600_000;
const toArrayLiteral = (names: readonly string[]) => `{${names.join(',')}}`;

/** Jobs that fill the queue named in their payload. */
const isRequeue = sql`job.name = ${requeueAssets.name}`;
/** A requeue job that runs or is due, before the first job of the queue itself. */
const isStarting = sql`state in ('waiting', 'running') and run_at <= now()`;
/** Jobs of the face queue, which has none per asset. */
const isClustering = sql`job.name in (${clusterFaces.name}, ${reclusterAll.name})`;

/** Queues whose periodic job has work and begins it within a minute: they are not done. */
const BEGINNING = sql.join(
  [clusterFaces, indexText, planSidecars].map(
    ({ queue, hasWork = sql`false` }) =>
      sql`select ${sql.raw(`'${queue}'`)} as queue where ${hasWork}`,
  ),
  sql` union all `,
);

/** The last step of a scan looks again after a delay whether files have been read: the scan has not ended. */
const isLater = sql`state = 'waiting' and run_at > now() and job.name <> ${settleLibrary.name}`;

const isPending = sql`${isRequeue} and ${isStarting} and payload ->> 'queue' = any(${toArrayLiteral(QUEUE_NAMES)}::text[])`;

const selectQueues = prepareQuery(
  QUEUE_COLUMNS,
  sql`
  with counted as (
    select queue,
      count(*) filter (where state = 'waiting' and not (${isLater}))::int as waiting,
      count(*) filter (where ${isLater})::int as delayed,
      count(*) filter (where state = 'running')::int as running,
      count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where ${isClustering} and state = 'waiting' and run_at <= now())::int as due
    from job where queue = any(${sql.placeholder('names')}::text[]) and not (${isPending}) group by queue
  ), beginning as (${BEGINNING}), starting as (
    select payload ->> 'queue' as queue, count(*)::int as jobs
    from job where queue = ${requeueAssets.queue} and ${isPending} group by 1
  ), finished as (
    select queue, sum(jobs)::float8 as jobs from job_done
    where queue = any(${sql.placeholder('names')}::text[]) group by queue
  )
  select wanted.name, coalesce(queue.is_paused, false) as is_paused,
    greatest(coalesce(waiting, 0) - coalesce(clustering.due, 0),
      (beginning.queue is not null and coalesce(queue.is_paused, false))::int) as waiting,
    coalesce(delayed, 0) as delayed,
    greatest(coalesce(running, 0) + coalesce(starting.jobs, 0) + coalesce(clustering.due, 0),
      (beginning.queue is not null and not coalesce(queue.is_paused, false))::int) as running,
    coalesce(failed, 0) as failed,
    coalesce(finished.jobs, 0) as done
  from unnest(${sql.placeholder('names')}::text[]) with ordinality wanted (name, place)
  left join queue on queue.name = wanted.name
  left join counted on counted.queue = wanted.name
  left join lateral (select counted.due where not coalesce(queue.is_paused, false)) clustering on true
  left join starting on starting.queue = wanted.name
  left join beginning on beginning.queue = wanted.name
  left join finished on finished.queue = wanted.name
  order by wanted.place`,
);

/**
 * Returns one row per queue of `names`, in their order. A requeue is an activity of the queue that it
 * fills, from the moment of its start.
 */
export const countQueues = (db: Db, names: readonly QueueName[]): Promise<QueueRow[]> =>
  selectQueues(db, { names: toArrayLiteral(names) });

/** Pauses or resumes a queue for all machines; wakes the lanes of a resumed queue at the commit. */
export async function setPaused(db: Db, name: QueueName, isPaused: boolean): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into queue (name, is_paused) values (${name}, ${isPaused})
    on conflict (name) do update set is_paused = excluded.is_paused`,
  );
  if (isPaused) return;
  await queryRows(
    db,
    sql`
    select pg_notify('job_ready', lane) from (
      select distinct lane from job where queue = ${name} and state = 'waiting') lanes`,
  );
}

/** Deletes jobs of a queue; running jobs complete. Runs that were not counted yet are cancelled. */
export async function deleteJobs(
  db: Db,
  name: QueueName,
  state: 'waiting' | 'failed',
): Promise<void> {
  await queryRows(
    db,
    sql`
    with deleted as (
      delete from job where state = ${state} and (queue = ${name}
        or queue = ${requeueAssets.queue} and ${isRequeue} and payload ->> 'queue' = ${name})
      returning payload ->> 'runId' as run_id, ${ENDED_COLUMNS}
    ), ${settleItems('deleted', 'skipped')}
    update job_run set cancelled_at = now(), counted_at = now()
    where counted_at is null and id in (select run_id::uuid from deleted)`,
  );
}

const FOLD_LOCK = 'job_done';

/** Replaces the counts of finished jobs by one row per queue; concurrently added rows stay. */
export async function foldFinishedJobs(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    with lock as materialized (
      select pg_try_advisory_xact_lock(hashtext(${FOLD_LOCK})) as taken
    ), gone as (
      delete from job_done where (select taken from lock) returning queue, jobs, failed
    )
    insert into job_done (queue, jobs, failed)
    select queue, sum(jobs), sum(failed) from gone group by queue`,
  );
}

/** Deletes rows of cancelled jobs after a while, in which their workers see the cancellation. */
export async function deleteCancelledJobs(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    with deleted as (
      delete from job where state = 'cancelled' and finished_at < now() - interval '1 hour'
      returning ${ENDED_COLUMNS}
    ), ${settleItems('deleted', 'skipped')} select`,
  );
}

export type FailedJobs = {
  readonly name: string;
  readonly jobs: number;
  /** Message of the latest failure. */
  readonly error: string | null;
};

/** Backups tell of their failures themselves. */
const REPORTED_QUEUES = QUEUE_NAMES.filter((name) => name !== 'backupDatabase');

/** Returns the jobs that have failed since the last call, by name. */
export const takeUnreportedFailures = (db: Db): Promise<FailedJobs[]> =>
  queryRows(
    db,
    { name: column.text, jobs: column.integer, error: column.text.orNull },
    sql`
    with reported as (
      update job set is_reported = true
      where queue = any(${toArrayLiteral(REPORTED_QUEUES)}::text[]) and state = 'failed'
        and not is_reported
      returning name, last_error, finished_at, id
    )
    select name, count(*)::int as jobs,
      (array_agg(last_error order by finished_at desc, id desc))[1] as error
    from reported group by name order by name`,
  );

/** Returns the faults of the machine that have lasted for a while, each once. */
export const takeUnreportedFaults = (db: Db): Promise<{ name: string; error: string }[]> =>
  queryRows(
    db,
    { name: column.text, error: column.text },
    sql`
    update job_fault set is_reported = true
    where not is_reported and since < now() - interval '5 minutes' returning name, error`,
  );

/** Returns the days on the clock that are not counted and were not told yet, from a day on. */
export async function takeUnreportedTime(db: Db): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { days: column.integer },
      sql`
    with told as (
      update clock_span set is_reported = true
      where not is_reported and uncounted_ms >= ${DAY_MS}::float8 returning uncounted_ms
    )
    select coalesce(round(sum(uncounted_ms) / ${DAY_MS}::float8), 0)::int as days from told`,
    ),
  );
  return row.days;
}

const FAILED_JOB_COLUMNS = {
  /** bigint as text */
  id: column.text,
  name: column.text,
  attempts: column.integer,
  failedAt: column.timestamptz.orNull,
  error: column.text.orNull,
  assetId: column.text.orNull,
};
type FailedJobView = InferRow<typeof FAILED_JOB_COLUMNS>;

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
