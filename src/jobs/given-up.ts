import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';
import type { AnyJob } from './define.ts';

// Jobs that have used up their attempts and not learned whether the file is to blame: they stay failed for hours, and are
// tried again for ever.

/** Returns the names of the jobs that are tried again. */
export const listRetried = (jobs: readonly AnyJob[]): string[] =>
  jobs.flatMap(({ name, isRetriedLater }) => (isRetriedLater ? [name] : []));

/** Lets failed jobs of these names run whose time has come; with `isAtOnce` also those whose time has not. */
export async function retryGivenUp(
  db: Db,
  names: readonly string[],
  { isAtOnce = false }: { readonly isAtOnce?: boolean } = {},
): Promise<void> {
  if (names.length === 0) return;
  const isGivenUp = sql`job.state = 'failed' and job.name = any(${texts(names)})
    and job.run_at < 'infinity' and (${isAtOnce}::boolean or job.run_at <= now())`;
  await db.transaction(async (tx) => {
    // The newest runs where several do the same work, unless one waits already.
    await queryRows(
      tx,
      sql`delete from job where ${isGivenUp} and exists (
        select from job other where other.name = job.name and other.unique_key = job.unique_key
          and (other.state = 'waiting' or other.state = 'failed' and other.id > job.id))`,
    );
    await queryRows(
      tx,
      sql`with resumed as (
          update job set state = 'waiting', run_at = now(), finished_at = null, item_id = null
          where ${isGivenUp} returning lane
        ) select pg_notify('job_ready', lane) from (select distinct lane from resumed) lanes`,
    );
  });
}

const CHECK_MS = 60_000;

/** Returns a function that retries what is due, at most once a minute, and at its first call all: a server has started. */
export function createGivenUpWatch(jobs: readonly AnyJob[]): (db: Db) => Promise<void> {
  const names = listRetried(jobs);
  let checkedAt: number | undefined;
  return async (db) => {
    const now = performance.now();
    if (checkedAt !== undefined && now - checkedAt < CHECK_MS) return;
    await retryGivenUp(db, names, { isAtOnce: checkedAt === undefined });
    checkedAt = now;
  };
}
