import { sql } from 'drizzle-orm';
import type { Lane } from '../core/lanes.ts';
import type { Db } from '../db/client.ts';
import { column } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

/** Remembers why jobs of this name wait, for administrators. */
export const saveFault = (
  db: Db,
  { name, lane, error }: { readonly name: string; readonly lane: string; readonly error: string },
): Promise<unknown> =>
  queryRows(
    db,
    sql`
    insert into job_fault (name, lane, error) values (${name}, ${lane}, ${error})
    on conflict (name) do update set error = excluded.error`,
  );

const hasWaitedForFault = sql`state = 'waiting' and faults > 0 and run_at > now()`;

/** The fault is over: jobs that wait because of it may run. */
export async function endFault(db: Db, name: string): Promise<void> {
  await queryRows(db, sql`delete from job_fault where name = ${name}`);
  await queryRows(
    db,
    sql`update job set run_at = now() where name = ${name} and ${hasWaitedForFault}`,
  );
}

/** Ends the fault unless a job is there that has met it: one that had was deleted, or gave way to a later one like it. */
export const endLeftFault = (db: Db, name: string): Promise<unknown> =>
  queryRows(
    db,
    sql`delete from job_fault where name = ${name} and not exists (
      select from job where name = ${name} and faults > 0 and state in ('waiting', 'running'))`,
  );

/** Lets jobs of the lane run that wait because of faults. Returns the names of those faults. */
export async function retryFaulted(db: Db, lane: Lane): Promise<string[]> {
  await queryRows(
    db,
    sql`update job set run_at = now() where lane = ${lane} and ${hasWaitedForFault}`,
  );
  const rows = await queryRows(
    db,
    { name: column.text },
    sql`select name from job_fault where lane = ${lane}`,
  );
  return rows.map(({ name }) => name);
}

export type JobFault = { readonly job: string; readonly error: string; readonly since: string };

/** Returns the faults that jobs wait for, the oldest first. */
export async function listFaults(db: Db): Promise<JobFault[]> {
  const rows = await queryRows(
    db,
    { name: column.text, error: column.text, since: column.timestamptz },
    sql`select name, error, since from job_fault order by since, name`,
  );
  return rows.map(({ name, error, since }) => {
    return { job: name, error, since: new Date(since).toISOString() };
  });
}
