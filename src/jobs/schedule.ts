import { CronExpressionParser } from 'cron-parser';
import { type SQL, sql } from 'drizzle-orm';
import type { Lane } from '../core/lanes.ts';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
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
  const rows = await queryPrepared(
    db,
    { lane: column.text.as<Lane>(), ready: column.boolean, next_ms: column.float.orNull },
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

/**
 * When the jobs run that administrators schedule: cron expressions in the time zone of the server, by the
 * name of the job; undefined: never.
 */
export type Timetable = Readonly<Record<string, string | undefined>>;

const isTimetabled = (timetable: Timetable, { name }: AnyJob) => Object.hasOwn(timetable, name);

/** Returns the jobs of these lanes that the schedule starts. */
export const filterScheduled = (
  jobs: readonly AnyJob[],
  lanes: readonly Lane[],
  timetable: Timetable,
): AnyJob[] =>
  jobs.filter(
    (job) =>
      lanes.includes(job.lane) && (job.everyMinutes !== undefined || isTimetabled(timetable, job)),
  );

/**
 * Adds scheduled jobs that are new to the database: those with an interval are due at once. Others move to
 * their next time if their cron expression has changed.
 */
export async function updateSchedule(
  db: Db,
  scheduled: readonly AnyJob[],
  timetable: Timetable,
): Promise<void> {
  const intervals = scheduled.filter((job) => !isTimetabled(timetable, job));
  const names = intervals.map((job) => job.name);
  await queryRows(
    db,
    sql`insert into schedule (name, next_at) select unnest(${texts(names)}), now()
      on conflict do nothing`,
  );
  for (const job of scheduled) {
    const cron = timetable[job.name];
    if (cron !== undefined) await scheduleAt(db, job.name, cron);
    else if (isTimetabled(timetable, job)) {
      await queryRows(db, sql`delete from schedule where name = ${job.name}`);
    }
  }
}

const scheduleAt = (db: Db, name: string, cron: string) =>
  queryRows(
    db,
    sql`
    insert into schedule (name, next_at, cron)
    values (${name}, ${findNextTime(cron)}::timestamptz, ${cron})
    on conflict (name) do update set next_at = excluded.next_at, cron = excluded.cron
    where schedule.cron is distinct from excluded.cron`,
  );

const findNextTime = (cron: string): string | null =>
  CronExpressionParser.parse(cron).next().toISOString();

/** Returns the expression of the time after now at which the schedule starts a job. */
export function getNextTime({ name, everyMinutes = 0 }: AnyJob, timetable: Timetable): SQL {
  const cron = timetable[name];
  return cron
    ? sql`${findNextTime(cron)}::timestamptz`
    : sql`now() + ${everyMinutes}::int * interval '1 minute'`;
}

async function listDueJobs(db: Db): Promise<ReadonlySet<string>> {
  const columns = { name: column.text };
  const rows = await queryPrepared(
    db,
    columns,
    sql`select name from schedule where next_at <= now()`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Returns which of these jobs have no work. Where that cannot be told, they run: a failed job says why. */
const listIdleJobs = (db: Db, jobs: readonly AnyJob[]): Promise<ReadonlySet<string>> =>
  queryIdleJobs(db, jobs).catch(() => new Set());

async function queryIdleJobs(db: Db, jobs: readonly AnyJob[]): Promise<ReadonlySet<string>> {
  const checks = jobs.flatMap(({ name, hasWork }) =>
    hasWork ? [sql`select ${name}::text as name where not (${hasWork})`] : [],
  );
  if (checks.length === 0) return new Set();
  const rows = await queryRows(db, { name: column.text }, sql.join(checks, sql` union all `));
  return new Set(rows.map(({ name }) => name));
}

const MINUTE_MS = 60_000;
/** Jobs that run once a day or less often are listed as runs; the others would hide them. */
const RECORDED_MINUTES = 24 * 60;

/** When to look again whether a job that is due has work, by its name: by `performance.now()`. */
export type IdleJobs = Map<string, number>;

/**
 * Enqueues the scheduled jobs that are due and have work, also those whose time has passed while no server ran. Their row
 * in the schedule moves on in the same transaction, so that only one of many machines enqueues them. A job without work
 * stays due, and is looked at again after its interval.
 */
export async function enqueueDueJobs(
  db: Db,
  scheduled: readonly AnyJob[],
  timetable: Timetable,
  idle: IdleJobs = new Map(),
): Promise<void> {
  const now = performance.now();
  const due = await listDueJobs(db);
  const jobs = scheduled.filter(({ name }) => due.has(name) && now >= (idle.get(name) ?? 0));
  const idling = await listIdleJobs(db, jobs);
  for (const job of jobs) {
    const { name, queue, everyMinutes = 0 } = job;
    if (idling.has(name)) {
      idle.set(name, now + everyMinutes * MINUTE_MS);
      continue;
    }
    const next = getNextTime(job, timetable);
    await db.transaction(async (tx) => {
      const moved = await queryRows(
        tx,
        sql`
        update schedule set next_at = ${next} where name = ${name} and next_at <= now() returning 1`,
      );
      // Safe: the payload of a scheduled job is {}, and `enqueue` checks it.
      if (moved.length === 0) return;
      if (timetable[name] === undefined && everyMinutes < RECORDED_MINUTES)
        return enqueue(tx, job, {} as never);
      await enqueueRun(tx, { name, queue, trigger: 'schedule' }, job, {} as never);
    });
  }
}
