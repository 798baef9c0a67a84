import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { prepareQuery } from '../db/query.ts';
import type { PayloadOf } from './define.ts';
import type { Job } from './registry.ts';

/** Call with the transaction of the change that needs the job: both commit or neither does. */
export async function enqueue<J extends Job>(db: Db, job: J, payload: PayloadOf<J>): Promise<void> {
  await enqueueMany(db, job, [payload]);
}

export async function enqueueMany<J extends Job>(
  db: Db,
  job: J,
  payloads: readonly PayloadOf<J>[],
): Promise<void> {
  await enqueueAll(
    db,
    payloads.map((payload) => need(job, payload)),
  );
}

/** A job to be done, as its row will be. */
export type Need = {
  readonly name: string;
  readonly queue: string;
  readonly lane: string;
  readonly priority: number;
  readonly payload: unknown;
  readonly key: string | null;
};

export function need<J extends Job>(job: J, payload: PayloadOf<J>): Need {
  const keyOf = job.uniqueKey as ((payload: PayloadOf<J>) => string) | undefined;
  const { name, queue, lane, priority = 0 } = job;
  return {
    name,
    queue,
    lane,
    priority,
    payload: job.parse(payload),
    key: keyOf?.(payload) ?? null,
  };
}

/** Different jobs in one statement. */
export async function enqueueAll(db: Db, needs: readonly Need[]): Promise<void> {
  let left: readonly unknown[] = needs;
  while (left.length > 0) {
    const [row] = await insertJobs(db, { needs: JSON.stringify(left) });
    left = row!.missed;
  }
}

/** `missed`: those whose twin was claimed, or came, while they looked for it. */
type Inserted = { readonly missed: readonly unknown[] };

// Who needs what already waits holds that job back until the commit: claimed any sooner, it would not
// see the change that it is needed for. The lock is a shared one, so nobody who needs it waits. The
// notice is only a hint, for the lanes also look by themselves; a job that was held back needs one too.
const insertJobs = prepareQuery<Inserted>(sql`
  with needs as materialized (
    select need, need ->> 'name' as name, need ->> 'key' as unique_key
    from jsonb_array_elements(${sql.placeholder('needs')}::text::jsonb) need
  ), joined as materialized (
    select job.lane, job.name, job.unique_key, job.run_at
    from needs join job using (name, unique_key)
    where job.state = 'waiting' for key share of job
  ), added as (
    insert into job (name, queue, lane, priority, payload, unique_key)
    select name, need ->> 'queue', need ->> 'lane', (need ->> 'priority')::smallint,
      need -> 'payload', unique_key
    from needs where not exists (
      select from joined where joined.name = needs.name and joined.unique_key = needs.unique_key)
    on conflict (name, unique_key) where state = 'waiting' do nothing
    returning lane, name, unique_key
  ), met as (
    select name, unique_key from joined union select name, unique_key from added
  )
  select (
      select count(pg_notify('job_ready', lane)) from (
        select lane from added union select lane from joined where run_at <= now()) hint
    ) as told, (
      select coalesce(jsonb_agg(need), '[]') from needs
      where unique_key is not null and not exists (
        select from met where met.name = needs.name and met.unique_key = needs.unique_key)
    ) as missed`);

/**
 * Ends jobs whatever they are doing: waiting ones never run, and the signal of a running one is
 * aborted within a second. Its effect is lost even if it does not listen.
 */
export async function cancelJobs(db: Db, ids: readonly string[]): Promise<void> {
  await db.execute(sql`
    update job set state = 'cancelled', finished_at = now()
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and state in ('waiting', 'running')`);
}
