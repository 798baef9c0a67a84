import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import { type Db, POOL_PREFIX } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';
import { QUEUE_NAMES, type QueueName } from '../jobs/define.ts';

const ACTIVE_RUN_COLUMNS = {
  name: column.text,
  queue: column.text.as<QueueName>(),
  processed: column.integer,
  /** Null: more items may come. */
  total: column.integer.orNull,
};
export type ActiveRun = InferRow<typeof ACTIVE_RUN_COLUMNS>;

const MAX_RUNS = 10;
/** Runs older than so many others are not looked for. */
const RECENT_RUNS = 200;

/** Returns the runs that have not ended, newest first. A workflow for existing items counts those it evaluated. */
export const listActiveRuns = (db: Db): Promise<ActiveRun[]> =>
  queryRows(
    db,
    ACTIVE_RUN_COLUMNS,
    sql`
    with recent as materialized (
      select * from job_run order by created_at desc, id desc limit ${RECENT_RUNS}
    )
    select name, queue, coalesce(evaluated, ended.items) as processed,
      case when counted_at is not null then recent.items else backfill.total end as total
    from recent
    left join workflow_backfill backfill on backfill.run_id = recent.id and counted_at is null
    left join lateral (
      select coalesce(sum(succeeded + failed + skipped), 0)::int as items
      from job_run_count where run_id = recent.id) ended on true
    where error is null and (counted_at is null or ended.items < recent.items)
    order by created_at desc, id desc limit ${MAX_RUNS}`,
  );

const FAILED_JOB_COLUMNS = {
  name: column.text,
  queue: column.text.as<QueueName>(),
  error: column.text.orNull,
  /** The identifier of its lines in the log; null: no request has started it. */
  correlationId: column.text.orNull,
  /** In ms since 1970. */
  failedAt: column.float,
};
export type FailedJob = InferRow<typeof FAILED_JOB_COLUMNS>;

const MAX_FAILURES = 5;

/** Returns the jobs that failed last, newest first. */
export const listFailedJobs = (db: Db): Promise<FailedJob[]> =>
  queryRows(
    db,
    FAILED_JOB_COLUMNS,
    sql`
    select name, queue, last_error as error, correlation_id as "correlationId",
      extract(epoch from finished_at)::float8 * 1000 as "failedAt"
    from job where queue = any(${texts(QUEUE_NAMES)}) and state = 'failed'
    order by finished_at desc, id desc limit ${MAX_FAILURES}`,
  );

const DATABASE_FACTS_COLUMNS = {
  /** When a server connected, in ms since 1970; null: none is connected. */
  servedSince: column.float.orNull,
  bytes: column.float,
};
export type DatabaseFacts = InferRow<typeof DATABASE_FACTS_COLUMNS>;

/** A server keeps the connection that listens for jobs for as long as it runs. */
export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const rows = await queryRows(
    db,
    DATABASE_FACTS_COLUMNS,
    sql`
    select extract(epoch from min(backend_start))::float8 * 1000 as "servedSince",
      pg_database_size(current_database())::float8 as bytes
    from pg_stat_activity
    where datname = current_database() and application_name = ${`${POOL_PREFIX}server`}`,
  );
  return getRow(rows);
}
