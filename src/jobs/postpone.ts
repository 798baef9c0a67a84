import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';
import { type ClaimedJob, releaseJobs } from './claims.ts';
import type { AnyJob } from './define.ts';

/** Thrown by a handler that could not try: the job runs again after `delayMs`, and this was no attempt. */
export class JobPostponed extends Error {
  override readonly name = 'JobPostponed';
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** Thrown by a handler when another attempt would fail as well: the job is parked as failed at once. */
export class FinalFailure extends Error {
  override readonly name = 'FinalFailure';
}

/** Lets a postponed job run at once. */
export async function endPostponement(db: Db, job: AnyJob, uniqueKey: string): Promise<void> {
  await queryRows(
    db,
    sql`update job set run_at = now()
      where name = ${job.name} and unique_key = ${uniqueKey} and state = 'waiting' and run_at > now()`,
  );
}

/** Releases a job as if it had not been claimed, until the delay is over. A duplicate that waits replaces it. */
export const postponeJob = (
  db: Db,
  worker: string,
  job: ClaimedJob,
  { message, delayMs }: JobPostponed,
): Promise<void> =>
  db.transaction(async (tx) => {
    await queryRows(
      tx,
      sql`update job set last_error = ${message},
          run_at = now() + ${Math.round(delayMs)}::bigint * interval '1 millisecond'
        where id = ${job.id} and worker = ${worker} and attempt = ${job.attempt}
          and state = 'running'`,
    );
    await releaseJobs(tx, worker, { ids: [job.id] });
  });
