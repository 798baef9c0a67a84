import { sql } from 'drizzle-orm';
import { visibleAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import type { JobRunTarget, JobRunTrigger } from '../../../db/tables/jobs.ts';
import type { QueueName } from '../../../jobs/define.ts';
import type { Page } from './runs.schemas.ts';

const RUN_VIEW_COLUMNS = {
  id: column.uuid,
  name: column.text,
  queue: column.text.as<QueueName>(),
  trigger: column.text.as<JobRunTrigger>(),
  isForced: column.boolean,
  requestedBy: column.uuid.orNull,
  items: column.integer,
  isCounted: column.boolean,
  isCancelled: column.boolean,
  isPaused: column.boolean,
  isRunning: column.boolean,
  succeeded: column.integer,
  failed: column.integer,
  skipped: column.integer,
  error: column.text.orNull,
  createdAt: column.timestamptz,
  countedAt: column.timestamptz.orNull,
  startedAt: column.timestamptz.orNull,
  finishedAt: column.timestamptz.orNull,
};

/** Times are PostgreSQL's texts. */
export type RunView = InferRow<typeof RUN_VIEW_COLUMNS>;

/** Returns a page of the runs, newest first. */
export const listRuns = (db: Db, { skip, take }: Page): Promise<RunView[]> =>
  queryRows(
    db,
    RUN_VIEW_COLUMNS,
    sql`
    with page as materialized (
      select * from job_run order by created_at desc, id desc limit ${take} offset ${skip}
    ), active as materialized (
      select item.run_id, min(job.started_at) as started_at
      from job join job_run_item item on item.id = job.item_id
      where job.state = 'running' group by item.run_id
    )
    select page.id, page.name, page.queue, page.trigger, page.is_forced as "isForced",
      page.requested_by as "requestedBy", page.items, page.counted_at is not null as "isCounted",
      page.cancelled_at is not null as "isCancelled",
      coalesce(queue.is_paused, false) as "isPaused", active.run_id is not null as "isRunning",
      coalesce(ended.succeeded, 0) as succeeded, coalesce(ended.failed, 0) as failed,
      coalesce(ended.skipped, 0) as skipped, page.error, page.created_at as "createdAt",
      page.counted_at as "countedAt", least(ended.started_at, active.started_at) as "startedAt",
      ended.finished_at as "finishedAt"
    from page
    left join queue on queue.name = page.queue
    left join active on active.run_id = page.id
    left join lateral (
      select sum(succeeded)::int as succeeded, sum(failed)::int as failed, sum(skipped)::int as skipped,
        min(started_at) as started_at, max(finished_at) as finished_at
      from job_run_count where run_id = page.id) ended on true
    order by page.created_at desc, page.id desc`,
  );

export async function countRuns(db: Db): Promise<number> {
  const row = getRow(
    await queryRows(db, { runs: column.integer }, sql`select count(*)::int as runs from job_run`),
  );
  return row.runs;
}

/** Returns how many items a run has; undefined for an unknown run. */
export async function countItems(db: Db, runId: string): Promise<number | undefined> {
  const [row] = await queryRows(
    db,
    { items: column.integer },
    sql`select items from job_run where id = ${runId}::uuid`,
  );
  return row?.items;
}

const ITEM_VIEW_COLUMNS = {
  id: column.uuid,
  targetType: column.text.as<JobRunTarget>(),
  targetId: column.uuid.orNull,
  status: column.text.as<'queued' | 'running' | 'succeeded' | 'failed' | 'skipped'>(),
  attempts: column.integer,
  startedAt: column.timestamptz.orNull,
  finishedAt: column.timestamptz.orNull,
  error: column.text.orNull,
};

/** Times are PostgreSQL's texts. */
export type ItemView = InferRow<typeof ITEM_VIEW_COLUMNS>;

/** Returns a page of the items of a run, in order. An item without its job was removed from the queue. */
export const listItems = (db: Db, runId: string, { skip, take }: Page): Promise<ItemView[]> =>
  queryRows(
    db,
    ITEM_VIEW_COLUMNS,
    sql`
    select item.id, item.target_type as "targetType", item.target_id as "targetId",
      coalesce(item.status, case job.state when 'waiting' then 'queued' when 'running' then 'running'
        else 'skipped' end) as status,
      coalesce(job.attempt, item.attempts) as attempts,
      coalesce(item.started_at, job.started_at) as "startedAt", item.finished_at as "finishedAt",
      coalesce(item.error, job.last_error) as error
    from job_run_item item left join job on job.item_id = item.id
    where item.run_id = ${runId}::uuid and item.position > ${skip}::bigint
      and item.position <= ${skip}::bigint + ${take}::bigint
    order by item.position`,
  );

/** Returns the file names of those of the assets that the session may see. */
export async function listFileNames(
  db: Db,
  session: Session,
  assetIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid, name: column.text },
    sql`
    select asset.id, asset.file_name as name from ${visibleAssets(db, session, 'any', { suppressed: 'out' })}
    where asset.id = any(${uuids(assetIds)})`,
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** Replaces the counts of each run by their sum; concurrently added rows stay. */
export async function foldRunCounts(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    with lock as materialized (
      select pg_try_advisory_xact_lock(hashtext('job_run_count')) as taken
    ), gone as (
      delete from job_run_count where (select taken from lock) and run_id in (
        select run_id from job_run_count group by run_id having count(*) > 1)
      returning *
    )
    insert into job_run_count (run_id, succeeded, failed, skipped, started_at, finished_at)
    select run_id, sum(succeeded), sum(failed), sum(skipped), min(started_at), max(finished_at)
    from gone group by run_id`,
  );
}

/** Deletes runs older than a time, with their items; returns whether there may be more. */
export async function deleteRunsBefore(db: Db, before: Date): Promise<boolean> {
  const row = getRow(
    await queryRows(
      db,
      { items: column.integer },
      sql`
    with old as (
      select id from job_run where created_at < ${before.toISOString()}::timestamptz
      order by created_at limit 1
    ), part as (
      delete from job_run_item where id in (
        select item.id from job_run_item item join old on item.run_id = old.id limit 10000)
      returning 1
    ), gone as (
      delete from job_run using old where job_run.id = old.id and not exists (
        select from job_run_item item where item.run_id = old.id offset 10000) returning 1
    )
    select (select count(*) from part)::int + (select count(*) from gone)::int as items`,
    ),
  );
  return row.items > 0;
}
