import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Lane } from '../core/lanes.ts';
import type { Db } from '../db/client.ts';
import { IS_SERVED_SCHEMA } from '../db/migrate.ts';
import { column, type InferRow } from '../db/columns.ts';
import { prepareQuery, queryPrepared, queryRows } from '../db/query.ts';
import { ENDED_COLUMNS, settleItems } from './run-items.ts';

const CLAIMED_JOB_COLUMNS = {
  id: column.bigint,
  name: column.text,
  payload: column.json<unknown>(),
  /** The fence, with the worker's name: a late finisher whose job was given to another has no effect. */
  attempt: column.integer,
  failures: column.integer,
  /** Runs that met a fault of the machine. */
  faults: column.integer,
  /** The identifier of the request that enqueued it; null: there was none. */
  correlationId: column.text.orNull,
  /** Item of a run that it is. */
  itemId: column.uuid.orNull,
};

export type ClaimedJob = InferRow<typeof CLAIMED_JOB_COLUMNS>;

/** A job whose worker died so many times during it is parked as failed. */
const MAX_CRASHES = 10;

export type Claim = {
  readonly lane: Lane;
  readonly worker: string;
  /** Jobs this version knows: those of a newer machine are left to it. */
  readonly names: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
};

const toArray = (values: readonly string[]) => `{${values.join(',')}}`;
const lease = sql`now() + ${sql.placeholder('leaseMs')}::int * interval '1 millisecond'`;

/**
 * Claims the next jobs of a lane, none while the database has a schema that this version does not serve, or its servers
 * are in maintenance mode. A job whose key is running already waits for that run: it may have been enqueued for a change after the run began,
 * but two at once would race for the files.
 */
export const claimJobs = (db: Db, { names, ...claim }: Claim): Promise<ClaimedJob[]> =>
  claimNext(db, { ...claim, names: toArray(names) });

// The planner expects most rows to meet `@>` conditions (`<> all` it takes for rare): it then reads the
// index of what is next instead of sorting all that waits.
const claimNext = prepareQuery(
  CLAIMED_JOB_COLUMNS,
  sql`
  with next as (
    select id from job
    where lane = ${sql.placeholder('lane')} and state = 'waiting' and run_at <= now()
      and name = any(${sql.placeholder('names')}::text[])
      and ${IS_SERVED_SCHEMA}
      and not exists (select from maintenance_mode)
      and not (array(select name from queue where is_paused) @> array[queue])
      and not (array(
        select name || ':' || unique_key from job
        where state = 'running' and lane = ${sql.placeholder('lane')} and unique_key is not null
      ) @> array[name || ':' || unique_key])
    order by priority desc, run_at, id
    limit ${sql.placeholder('limit')}::int
    for update skip locked
  )
  update job set state = 'running', attempt = attempt + 1, worker = ${sql.placeholder('worker')},
    lease_until = ${lease}, started_at = now()
  from next where job.id = next.id
  returning job.id, job.name, job.payload, job.attempt, job.failures, job.faults,
    job.correlation_id as "correlationId", job.item_id as "itemId"`,
);

/** Returns which of these jobs are still the worker's; with `leaseMs` it also renews their leases. */
export async function confirmClaims(
  db: Db,
  worker: string,
  ids: readonly string[],
  leaseMs?: number,
): Promise<Set<string>> {
  const values = { worker, ids: toArray(ids) };
  const rows =
    leaseMs === undefined
      ? await selectHeld(db, values)
      : await renewHeld(db, { ...values, leaseMs });
  return new Set(rows.map((row) => row.id));
}

const isHeld = sql`id = any(${sql.placeholder('ids')}::bigint[])
  and worker = ${sql.placeholder('worker')} and state = 'running'`;
const selectHeld = prepareQuery({ id: column.bigint }, sql`select id from job where ${isHeld}`);
/**
 * A job that is being completed has locked its row, for as long as its effect waits for rows of others: it is not waited
 * for, or the leases of the other jobs would end. Whoever releases lost jobs skips it, too.
 */
const renewHeld = prepareQuery(
  { id: column.bigint },
  sql`
  with open as (select id from job where ${isHeld} for no key update skip locked),
    renewed as (update job set lease_until = ${lease} from open where job.id = open.id)
  select id from job where ${isHeld}`,
);

/**
 * Removes a finished job from the queue and returns whether it was still the worker's; if not, its
 * effect must not happen. Call it first in the transaction of the effect: the row stays locked until
 * the commit, so nobody can cancel or release the job in between.
 */
export async function completeJob(tx: Db, worker: string, job: ClaimedJob): Promise<boolean> {
  const rows = await deleteCompleted(tx, { id: job.id, worker, attempt: job.attempt });
  return rows.length > 0;
}

const deleteCompleted = prepareQuery(sql`
  with done as (
    delete from job
    where id = ${sql.placeholder('id')} and worker = ${sql.placeholder('worker')}
      and attempt = ${sql.placeholder('attempt')} and state = 'running'
    returning queue, ${ENDED_COLUMNS}
  ), ${settleItems('done', 'succeeded')}
  insert into job_done (queue, jobs) select queue, 1 from done returning 1`);

/** Completes many jobs that have no effect. */
export async function completeJobs(
  db: Db,
  worker: string,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  await deleteManyCompleted(db, {
    worker,
    ids: toArray(jobs.map((job) => job.id)),
    attempts: toArray(jobs.map((job) => String(job.attempt))),
  });
}

const deleteManyCompleted = prepareQuery(sql`
  with done as (
    delete from job using unnest(${sql.placeholder('ids')}::bigint[],
      ${sql.placeholder('attempts')}::int[]) ended (id, attempt)
    where job.id = ended.id and job.attempt = ended.attempt
      and worker = ${sql.placeholder('worker')} and state = 'running'
    returning queue, ${ENDED_COLUMNS}
  ), ${settleItems('done', 'succeeded')}
  insert into job_done (queue, jobs) select queue, count(*) from done group by queue`);

/**
 * After an error: puts the job back into the queue, later each time, or parks it as failed once its
 * attempts are used up, and says when to try it again (see given-up.ts); a fault of the machine is no attempt. A duplicate that was enqueued meanwhile replaces it. Returns its new state.
 */
export async function retryOrFail(
  db: Db,
  worker: string,
  job: ClaimedJob,
  failure: {
    readonly error: string;
    readonly attempts: number;
    readonly isFault: boolean;
    readonly isRetriedLater: boolean;
  },
): Promise<'waiting' | 'failed' | 'gone'> {
  const { isFault } = failure;
  const isLast = !isFault && job.failures + 1 >= failure.attempts;
  const isOurs = sql`id = ${job.id} and worker = ${worker} and attempt = ${job.attempt}
    and state = 'running'`;
  if (!isLast) {
    await queryRows(
      db,
      sql`
      with dropped as (
        delete from job where ${isOurs} and ${HAS_WAITING_DUPLICATE} returning ${ENDED_COLUMNS}
      ), ${settleItems('dropped', 'skipped')} select`,
    );
  }
  const rows = await queryRows(
    db,
    sql`with ended as (
      update job set state = ${isLast ? 'failed' : 'waiting'},
        failures = failures + ${isFault ? 0 : 1}::int, faults = faults + ${isFault ? 1 : 0}::int,
        last_error = ${failure.error}, lease_until = null, worker = null,
        finished_at = case when ${isLast}::boolean then now() end,
        run_at = ${
          isLast
            ? getLaterTime(failure)
            : sql`now() + least(3600, ${isFault ? sql`least(${MAX_FAULT_DELAY_S}::int, 2 ^ least(faults, 12))` : sql`5 * 2 ^ failures`})
          * (0.75 + random() / 2) * interval '1 second'`
        }
      where ${isOurs} returning state, queue, ${ENDED_COLUMNS}
    ), parked as (select * from ended where state = 'failed'), ${settleItems('parked', 'failed')},
    ${COUNT_PARKED} select from ended`,
  );
  return rows.length === 0 ? 'gone' : isLast ? 'failed' : 'waiting';
}

/** Hours between two tries of a job that was given up: they double up to the second. */
const LATER_HOURS = { first: 2, last: 24 };

const getLaterTime = ({
  attempts,
  isRetriedLater,
}: {
  attempts: number;
  isRetriedLater: boolean;
}) =>
  isRetriedLater
    ? sql`now() + interval '1 hour' * least(${LATER_HOURS.last}::int,
        ${LATER_HOURS.first}::int * 2 ^ greatest(0, attempt - faults - ${attempts}::int))`
    : sql`'infinity'`;

/** Between two tries of a job that meets a fault of the machine. */
const MAX_FAULT_DELAY_S = 600;

const COUNT_PARKED = sql`parked_total as (
  insert into job_done (queue, failed) select queue, count(*) from parked group by queue
)`;

/** Statements of this transaction fail that wait longer for a lock, in ms. */
export const limitLockWaits = (tx: Db, ms: number): Promise<unknown> =>
  queryRows(tx, sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`);

const HAS_WAITING_DUPLICATE = sql`exists (
  select 1 from job waiting where waiting.state = 'waiting' and waiting.name = job.name
    and waiting.unique_key = job.unique_key)`;

/**
 * Releases jobs as if they had never been claimed: some of ours, or all of a worker that is known to be
 * dead. `isCrash` counts the claim, so that a job that kills its thread is parked in the end.
 */
export async function releaseJobs(
  db: Db,
  worker: string,
  options: { readonly ids?: readonly string[]; readonly isCrash?: boolean } = {},
): Promise<void> {
  const { ids, isCrash = false } = options;
  const isListed = ids ? sql`and id = any(${toArray(ids)}::bigint[])` : sql``;
  await releaseWhere(db, sql`worker = ${worker} ${isListed}`, isCrash);
}

/**
 * Takes the running jobs of a copy of a database from their workers, which hold those of the original:
 * nothing that they finish has an effect on the copy, and the jobs run again.
 */
export async function disownRunningJobs(sql: Sql): Promise<void> {
  await sql`update job set worker = null, lease_until = now() where state = 'running'`;
}

/** Releases the jobs of nodes that are known to be dead. */
export const releaseJobsOfNodes = (db: Db, nodes: readonly string[]): Promise<void> =>
  releaseWhere(db, sql`split_part(worker, ':', 1) = any(${toArray(nodes)}::text[])`, true);

/** Releases jobs whose lease is over: their process died or lost its database. */
export const releaseExpired = (db: Db): Promise<void> =>
  releaseWhere(db, sql`lease_until < now()`, true);

async function releaseWhere(db: Db, condition: SQL, isCrash: boolean): Promise<void> {
  const crashed = sql`${isCrash}::boolean`;
  const isParked = sql`${crashed} and attempt - failures - faults >= ${MAX_CRASHES}::int`;
  await queryPrepared(
    db,
    sql`with lost as (
        select id, ${HAS_WAITING_DUPLICATE} as has_duplicate
        from job where state = 'running' and ${condition}
        limit 500 for update skip locked
      ), dropped as (
        delete from job using lost where job.id = lost.id and lost.has_duplicate
        returning ${ENDED_COLUMNS}
      ), ${settleItems('dropped', 'skipped')}, released as (
        update job set lease_until = null, worker = null,
          attempt = attempt - ${isCrash ? 0 : 1}::int,
          state = case when ${isParked} then 'failed' else 'waiting' end,
          finished_at = case when ${isParked} then now() end,
          last_error = case when ${crashed} then 'The process or its database ended during the job'
            else last_error end,
          run_at = case when ${isParked} then now() + ${LATER_HOURS.last}::int * interval '1 hour' when ${crashed}
            then now() + (least(60, 2 ^ (attempt - failures - faults - 1)) - 1) * interval '1 second'
            else run_at end
        from lost where job.id = lost.id and not lost.has_duplicate
        returning lane, state, queue, ${ENDED_COLUMNS}
      ), parked as (
        select * from released where state = 'failed'
      ), ${settleItems('parked', 'failed')}, ${COUNT_PARKED}
      select pg_notify('job_ready', lane) from (select distinct lane from released) hint`,
  );
}
