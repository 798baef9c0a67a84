import { sql as text } from 'drizzle-orm';
import type { Sql } from 'postgres';
import type { Db } from '../db/client.ts';
import { prepareQuery } from '../db/query.ts';
import type { Lane } from '../core/lanes.ts';

export type ClaimedJob = {
  readonly id: string;
  readonly name: string;
  readonly payload: unknown;
  /** With the worker's name it fences a finisher whose job was given to another meanwhile. */
  readonly attempt: number;
  readonly failures: number;
};

/** A job that takes its process down with it is given up after so many times. */
const MAX_CRASHES = 10;

export type Claim = {
  readonly lane: Lane;
  readonly worker: string;
  /** Jobs this version knows: a newer machine's jobs are left to it. */
  readonly names: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
};

/**
 * Takes the next jobs of a lane. A job whose key is running already waits for that run: what it
 * was queued for may have happened after the run began, but two at once would race for the files.
 * The conditions are written so that the planner expects most rows to meet them (`<> all` it takes
 * for a rare case): it then reads the index of what is next instead of sorting all that waits.
 */
export async function claimJobs(sql: Sql, claim: Claim): Promise<ClaimedJob[]> {
  return sql<ClaimedJob[]>`
    with next as (
      select id from job
      where lane = ${claim.lane} and state = 'waiting' and run_at <= now()
        and name = any(${claim.names}::text[])
        and not (array(select name from queue where is_paused) @> array[queue])
        and not (array(
          select name || ':' || unique_key from job
          where state = 'running' and lane = ${claim.lane} and unique_key is not null
        ) @> array[name || ':' || unique_key])
      order by priority desc, run_at, id
      limit ${claim.limit}
      for update skip locked
    )
    update job set state = 'running', attempt = attempt + 1, worker = ${claim.worker},
      lease_until = now() + ${claim.leaseMs}::int * interval '1 millisecond'
    from next where job.id = next.id
    returning job.id, job.name, job.payload, job.attempt, job.failures`;
}

/** Which of these jobs are still the worker's; `leaseMs` also renews their leases. */
export async function confirmClaims(
  sql: Sql,
  worker: string,
  ids: readonly string[],
  leaseMs?: number,
): Promise<Set<string>> {
  const rows =
    leaseMs === undefined
      ? await sql<{ id: string }[]>`
          select id from job
          where id = any(${ids}::bigint[]) and worker = ${worker} and state = 'running'`
      : await sql<{ id: string }[]>`
          update job set lease_until = now() + ${leaseMs}::int * interval '1 millisecond'
          where id = any(${ids}::bigint[]) and worker = ${worker} and state = 'running'
          returning id`;
  return new Set(rows.map((row) => row.id));
}

/**
 * Takes a finished job out of the queue: the first statement of the transaction of its effect. The
 * row stays locked until the commit, so nobody can cancel it or give it away in between. False:
 * the job is no longer the worker's, and its effect must not happen.
 */
export async function completeJob(tx: Db, worker: string, job: ClaimedJob): Promise<boolean> {
  const rows = await deleteCompleted(tx, { id: job.id, worker, attempt: job.attempt });
  return rows.length > 0;
}

const deleteCompleted = prepareQuery(text`
  with gone as (
    delete from job
    where id = ${text.placeholder('id')} and worker = ${text.placeholder('worker')}
      and attempt = ${text.placeholder('attempt')} and state = 'running'
    returning queue
  )
  insert into job_done (queue, jobs) select queue, 1 from gone returning 1`);

/** The same for jobs without an effect, many at once. */
export async function completeJobs(
  sql: Sql,
  worker: string,
  jobs: readonly ClaimedJob[],
): Promise<void> {
  await sql`
    with gone as (
      delete from job using unnest(${jobs.map((job) => job.id)}::bigint[],
        ${jobs.map((job) => String(job.attempt))}::int[]) done (id, attempt)
      where job.id = done.id and job.attempt = done.attempt and worker = ${worker}
        and state = 'running'
      returning queue
    )
    insert into job_done (queue, jobs) select queue, count(*) from gone group by queue`;
}

/**
 * After an error: back to the queue, later each time, or parked as failed once its attempts are
 * used up. A twin that was queued meanwhile does the work instead. Answers what became of it.
 */
export async function retryOrFail(
  sql: Sql,
  worker: string,
  job: ClaimedJob,
  failure: { readonly error: string; readonly attempts: number },
): Promise<'waiting' | 'failed' | 'gone'> {
  const isLast = job.failures + 1 >= failure.attempts;
  if (!isLast) await deleteDuplicateOfWaitingJob(sql, worker, job);
  const rows = await sql`
    update job set state = ${isLast ? 'failed' : 'waiting'}, failures = failures + 1,
      last_error = ${failure.error}, lease_until = null, worker = null,
      finished_at = case when ${isLast} then now() end,
      run_at = now() + least(3600, 5 * 2 ^ failures) * (0.75 + random() / 2) * interval '1 second'
    where id = ${job.id} and worker = ${worker} and attempt = ${job.attempt}
      and state = 'running'
    returning 1`;
  return rows.length === 0 ? 'gone' : isLast ? 'failed' : 'waiting';
}

async function deleteDuplicateOfWaitingJob(
  sql: Sql,
  worker: string,
  job: ClaimedJob,
): Promise<void> {
  await sql`
    delete from job where id = ${job.id} and worker = ${worker} and attempt = ${job.attempt}
      and state = 'running' and exists (
        select 1 from job twin where twin.state = 'waiting' and twin.name = job.name
          and twin.unique_key = job.unique_key)`;
}

/**
 * Gives jobs back as if they had never been claimed: ours at the end, or all of a worker that is
 * known to be dead. `isCrash` counts the claim, so that a job that kills its thread is given up.
 */
export async function releaseJobs(
  sql: Sql,
  worker: string,
  options: { readonly ids?: readonly string[]; readonly isCrash?: boolean } = {},
): Promise<void> {
  const { ids, isCrash = false } = options;
  await releaseWhere(
    sql,
    sql`worker = ${worker} ${ids ? sql`and id = any(${ids}::bigint[])` : sql``}`,
    isCrash,
  );
}

/** Jobs whose lease is over were lost with their process. */
export async function releaseExpired(sql: Sql): Promise<void> {
  await releaseWhere(sql, sql`lease_until < now()`, true);
}

async function releaseWhere(sql: Sql, which: ReturnType<Sql>, isCrash: boolean): Promise<void> {
  await sql`
    with lost as (
      select id, exists (
        select 1 from job twin where twin.state = 'waiting' and twin.name = job.name
          and twin.unique_key = job.unique_key) as has_twin
      from job where state = 'running' and ${which}
      limit 500 for update skip locked
    ), dropped as (
      delete from job using lost where job.id = lost.id and lost.has_twin
    ), back as (
      update job set lease_until = null, worker = null,
        attempt = attempt - ${isCrash ? 0 : 1}::int,
        state = case when ${isCrash} and attempt - failures >= ${MAX_CRASHES} then 'failed'
          else 'waiting' end,
        finished_at = case when ${isCrash} and attempt - failures >= ${MAX_CRASHES} then now() end,
        last_error = case when ${isCrash} then 'The process or its database ended during the job'
          else last_error end,
        run_at = case when ${isCrash}
          then now() + (least(60, 2 ^ (attempt - failures - 1)) - 1) * interval '1 second'
          else run_at end
      from lost where job.id = lost.id and not lost.has_twin
      returning lane
    )
    select pg_notify('job_ready', lane) from (select distinct lane from back) hint`;
}
