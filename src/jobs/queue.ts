import { type SQL, sql } from 'drizzle-orm';
import { getCorrelationId } from '../core/correlation.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { getRow, prepareQuery, queryRows } from '../db/query.ts';
import type { AnyJob, JobPayload } from './define.ts';

/** Call with the transaction of the change that needs the job: both commit or neither does. */
export async function enqueue<J extends AnyJob>(
  db: Db,
  job: J,
  payload: JobPayload<J>,
): Promise<void> {
  await enqueueMany(db, job, [payload]);
}

export async function enqueueMany<J extends AnyJob>(
  db: Db,
  job: J,
  payloads: readonly JobPayload<J>[],
): Promise<void> {
  await enqueueAll(
    db,
    payloads.map((payload) => toJobInsert(job, payload)),
  );
}

/** The row of a job to insert. */
export type JobInsert = {
  readonly name: string;
  readonly queue: string;
  readonly lane: string;
  readonly priority: number;
  readonly payload: unknown;
  readonly key: string | null;
  /** Seconds until it may run. */
  readonly delay: number;
  /** Item of a run that it is. */
  readonly itemId?: string;
};

export function toJobInsert<J extends AnyJob>(job: J, payload: JobPayload<J>): JobInsert {
  const toKey = job.uniqueKey as ((payload: JobPayload<J>) => string) | undefined;
  const { name, queue, lane, priority = 0, delaySeconds = 0 } = job;
  return {
    name,
    queue,
    lane,
    priority,
    payload: job.parse(payload),
    key: toKey?.(payload) ?? null,
    delay: delaySeconds,
  };
}

/** Enqueues different jobs in one statement. A job that waits already keeps its correlation id. */
export async function enqueueAll(db: Db, inserts: readonly JobInsert[]): Promise<void> {
  let remaining: readonly unknown[] = inserts;
  while (remaining.length > 0) {
    const row = getRow(
      await insertJobs(db, {
        inserts: JSON.stringify(remaining),
        correlationId: getCorrelationId() ?? null,
      }),
    );
    remaining = row.missed;
  }
}

/** `missed`: jobs whose duplicate was claimed or inserted while the statement looked for it. */
const INSERTED_COLUMNS = { missed: column.json<readonly unknown[]>(), notified: column.bigint };

// A waiting job that is enqueued again is locked until the commit: a run that is claimed sooner would not
// see the change that it is enqueued for. The lock is shared, so transactions that enqueue it do not wait
// for each other. The notification is only a hint, for lanes also poll; a job that was locked needs it too.
const insertJobs = prepareQuery(
  INSERTED_COLUMNS,
  sql`
  with inserts as materialized (
    select item, item ->> 'name' as name, item ->> 'key' as unique_key
    from jsonb_array_elements(${sql.placeholder('inserts')}::text::jsonb) item
  ), waiting as materialized (
    select job.lane, job.name, job.unique_key, job.run_at
    from inserts join job using (name, unique_key)
    where job.state = 'waiting' for key share of job
  ), inserted as (
    insert into job (name, queue, lane, priority, payload, unique_key, run_at, item_id,
      correlation_id)
    select name, item ->> 'queue', item ->> 'lane', (item ->> 'priority')::smallint,
      item -> 'payload', unique_key, now() + (item ->> 'delay')::int * interval '1 second',
      (item ->> 'itemId')::uuid, ${sql.placeholder('correlationId')}::text
    from inserts where not exists (
      select from waiting
      where waiting.name = inserts.name and waiting.unique_key = inserts.unique_key)
    on conflict (name, unique_key) where state = 'waiting' do nothing
    returning lane, name, unique_key
  ), settled as (
    select name, unique_key from waiting union select name, unique_key from inserted
  )
  select (
      select count(pg_notify('job_ready', lane)) from (
        select lane from inserted union select lane from waiting where run_at <= now()) hint
    ) as notified, (
      select coalesce(jsonb_agg(item), '[]') from inserts
      where unique_key is not null and not exists (
        select from settled
        where settled.name = inserts.name and settled.unique_key = inserts.unique_key)
    ) as missed`,
);

/**
 * Whether a job of this name waits or runs for a key. Each state has an index; for both together the whole
 * queue would be read.
 */
export const hasJob = (name: string, key: SQL): SQL => {
  const exists = (state: string) => sql`exists (
    select from job where job.name = ${name} and job.unique_key = ${key} and job.state = ${sql.raw(`'${state}'`)})`;
  return sql`(${exists('waiting')} or ${exists('running')})`;
};

/**
 * Cancels jobs: waiting ones never run, and the signal of a running one is aborted within a second. Its
 * effect is discarded even if the handler ignores the signal.
 */
export async function cancelJobs(db: Db, ids: readonly string[]): Promise<void> {
  await queryRows(
    db,
    sql`
    update job set state = 'cancelled', finished_at = now()
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and state in ('waiting', 'running')`,
  );
}
