import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
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
  if (payloads.length === 0) return;
  const keyOf = job.uniqueKey as ((payload: PayloadOf<J>) => string) | undefined;
  const rows = payloads.map((payload) => ({
    payload: job.parse(payload),
    key: keyOf?.(payload) ?? null,
  }));
  // The notice is only a hint, for the lanes also look by themselves.
  await db.execute(sql`
    with added as (
      insert into job (name, queue, lane, priority, payload, unique_key)
      select ${job.name}, ${job.queue}, ${job.lane}, ${job.priority ?? 0}::smallint,
        item -> 'payload', item ->> 'key'
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) item
      on conflict (name, unique_key) where state = 'waiting' do nothing
      returning 1
    )
    select pg_notify('job_ready', ${job.lane}) from (select 1 from added limit 1) hint`);
}

/**
 * Ends jobs whatever they are doing: waiting ones never run, and the signal of a running one is
 * aborted within a second. Its effect is lost even if it does not listen.
 */
export async function cancelJobs(db: Db, ids: readonly string[]): Promise<void> {
  await db.execute(sql`
    update job set state = 'cancelled', finished_at = now()
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and state in ('waiting', 'running')`);
}
