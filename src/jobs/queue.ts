import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { prepareWork } from '../db/prepared.ts';
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
  if (needs.length === 0) return;
  await insertJobs(db, { needs: JSON.stringify(needs) });
}

// The notice is only a hint, for the lanes also look by themselves.
const insertJobs = prepareWork(sql`
  with added as (
    insert into job (name, queue, lane, priority, payload, unique_key)
    select need ->> 'name', need ->> 'queue', need ->> 'lane', (need ->> 'priority')::smallint,
      need -> 'payload', need ->> 'key'
    from jsonb_array_elements(${sql.placeholder('needs')}::text::jsonb) need
    on conflict (name, unique_key) where state = 'waiting' do nothing
    returning lane
  )
  select pg_notify('job_ready', lane) from (select distinct lane from added) hint`);

/**
 * Ends jobs whatever they are doing: waiting ones never run, and the signal of a running one is
 * aborted within a second. Its effect is lost even if it does not listen.
 */
export async function cancelJobs(db: Db, ids: readonly string[]): Promise<void> {
  await db.execute(sql`
    update job set state = 'cancelled', finished_at = now()
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and state in ('waiting', 'running')`);
}
