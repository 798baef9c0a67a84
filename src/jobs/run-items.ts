import { type SQL, sql } from 'drizzle-orm';

// Ended jobs of runs: parts of the statements that end jobs.

/** Columns of "job" that `settleItems` reads. */
export const ENDED_COLUMNS = sql.raw('job.item_id, job.attempt, job.started_at, job.last_error');

/**
 * Returns common table expressions that end the items of the jobs in `ended`, and count them. Without such
 * jobs they look at nothing.
 */
export function settleItems(ended: string, status: 'succeeded' | 'failed' | 'skipped'): SQL {
  const jobs = sql.raw(ended);
  const [items, counted] = [sql.raw(`${ended}_items`), sql.raw(`${ended}_counted`)];
  return sql`${items} as (
    update job_run_item item set status = ${sql.raw(`'${status}'`)}, attempts = job.attempt,
      started_at = job.started_at, finished_at = now(), error = ${status === 'succeeded' ? sql`null` : sql`job.last_error`}
    from ${jobs} job where item.id = job.item_id and item.status is null
    returning item.run_id, item.started_at
  ), ${counted} as (
    insert into job_run_count (run_id, ${sql.raw(status)}, started_at, finished_at)
    select run_id, count(*), min(started_at), now() from ${items} group by run_id
  )`;
}
