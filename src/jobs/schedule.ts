import { sql } from 'drizzle-orm';
import type { Lane } from '../core/lanes.ts';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { queryPrepared, queryRows } from '../db/query.ts';
import type { AnyJob } from './define.ts';
import { enqueue } from './queue.ts';
import { enqueueRun } from './runs.ts';

export type ReadyLanes = {
  /** Lanes with a job that can run now. */
  readonly ready: readonly Lane[];
  /** Milliseconds until the next delayed job; undefined when there is none. */
  readonly nextMs: number | undefined;
};

/** Returns which lanes have work. Jobs of paused queues do not count. */
export async function findReadyLanes(db: Db, lanes: readonly Lane[]): Promise<ReadyLanes> {
  const rows = await queryPrepared<{ lane: Lane; ready: boolean; next_ms: number | null }>(
    db,
    sql`
    with paused as materialized (select array(select name from queue where is_paused) as names),
    lanes as (
      select lane, exists (
        select 1 from job, paused
        where job.lane = wanted.lane and state = 'waiting' and run_at <= now()
          and not (paused.names @> array[queue])) as ready
      from unnest(${texts(lanes)}) wanted (lane)
    )
    select lane, ready, case when not ready then (
      select 1000 * extract(epoch from min(run_at) - now())::double precision from job, paused
      where job.lane = lanes.lane and state = 'waiting' and not (paused.names @> array[queue])
    ) end as next_ms
    from lanes`,
  );
  const delays = rows.flatMap((row) => (row.next_ms === null ? [] : [row.next_ms]));
  return {
    ready: rows.filter((row) => row.ready).map((row) => row.lane),
    nextMs: delays.length > 0 ? Math.max(0, Math.min(...delays)) : undefined,
  };
}

/** Makes the dispatchers of all processes poll at the commit, as after a change of the configuration. */
export const wakeDispatchers = (db: Db): Promise<unknown> =>
  queryRows(db, sql`select pg_notify('job_ready', '')`);

/** The jobs of these lanes that the schedule starts. */
export const filterScheduled = (jobs: readonly AnyJob[], lanes: readonly Lane[]): AnyJob[] =>
  jobs.filter((job) => job.everyMinutes !== undefined && lanes.includes(job.lane));

/** Adds scheduled jobs that are new to the database: they are due at once. */
export async function insertSchedule(db: Db, scheduled: readonly AnyJob[]): Promise<void> {
  const names = scheduled.map((job) => job.name);
  await queryRows(
    db,
    sql`insert into schedule (name, next_at) select unnest(${texts(names)}), now()
      on conflict do nothing`,
  );
}

/** Jobs that run once a day or less often are listed as runs; the others would hide them. */
const RECORDED_MINUTES = 24 * 60;

/**
 * Enqueues the scheduled jobs that are due. Their row in the schedule moves on in the same transaction,
 * so that only one of many machines enqueues them.
 */
export async function enqueueDueJobs(db: Db, scheduled: readonly AnyJob[]): Promise<void> {
  const [due] = await queryPrepared(db, sql`select 1 from schedule where next_at <= now() limit 1`);
  if (!due) return;
  for (const job of scheduled) {
    await db.transaction(async (tx) => {
      const moved = await queryRows(
        tx,
        sql`
        update schedule set next_at = now() + ${job.everyMinutes ?? 0}::int * interval '1 minute'
        where name = ${job.name} and next_at <= now() returning 1`,
      );
      // Safe: the payload of a scheduled job is {}, and `enqueue` checks it.
      if (moved.length === 0) return;
      if ((job.everyMinutes ?? 0) < RECORDED_MINUTES) return enqueue(tx, job, {} as never);
      const { name, queue } = job;
      await enqueueRun(tx, { name, queue, trigger: 'schedule' }, job, {} as never);
    });
  }
}
