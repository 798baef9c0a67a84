import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';
import type { AnyJob } from './define.ts';
import { getNextTime, type Timetable } from './schedule.ts';

// A clock that is set back leaves times of its future behind. Whatever lies farther ahead than any delay that is ever
// set is one of them.

/** Longer than any delay of a job: see retryOrFail, and `delaySeconds` of the declarations. */
const MAX_DELAY_MINUTES = 120;
/** Longer than any lease: a worker that lives renews its own within seconds. */
const MAX_LEASE_MINUTES = 5;
/** A step of the clock, not its correction. */
const MIN_STEP_MS = 30_000;

/** Returns a function that returns whether the clock of the database was set back since its last call. */
export function createClockWatch(monotonic: () => number = () => performance.now()) {
  let offset: number | undefined;
  return async (db: Db): Promise<boolean> => {
    const before = monotonic();
    const row = getRow(
      await queryRows(
        db,
        { ms: column.float },
        sql`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
      ),
    );
    const now = row.ms - (before + monotonic()) / 2;
    // A process that starts does not know what happened before.
    const isBack = offset === undefined || now < offset - MIN_STEP_MS;
    offset = now;
    return isBack;
  };
}

/** Makes due what waits for a time that nobody has set: jobs, leases of dead workers, and the schedule. */
export async function pullInFarTimes(
  db: Db,
  scheduled: readonly AnyJob[],
  timetable: Timetable,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update job set run_at = now()
    where state = 'waiting' and run_at > now() + ${MAX_DELAY_MINUTES}::int * interval '1 minute'`,
  );
  const lease = sql`now() + ${MAX_LEASE_MINUTES}::int * interval '1 minute'`;
  await queryRows(
    db,
    sql`update job set lease_until = ${lease} where state = 'running' and lease_until > ${lease}`,
  );
  for (const job of scheduled) {
    const latest = getNextTime(job, timetable);
    await queryRows(
      db,
      sql`update schedule set next_at = ${latest} where name = ${job.name} and next_at > ${latest}`,
    );
  }
}
