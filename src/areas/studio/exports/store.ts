import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import type { OperationState } from '../../../db/tables/operations.ts';
import { changeFileOperation, type FileChange } from '../../../operations/files.store.ts';
import type { OperationChange } from '../../../operations/store.ts';
import { filmKind, type FilmOperation } from './kind.ts';

/**
 * Lets films be made in turn among accounts: the first of each account by time, the second after the first of
 * all, and so on. Call it when a film is ordered or over. The next of an account joins the end of the line.
 */
export async function rankWaiting(db: Db, accountId?: string): Promise<void> {
  const isConcerned = accountId ? sql`and account_id = ${accountId}::uuid` : sql``;
  // A job that is claimed meanwhile needs no place.
  await db.execute(sql`
    with ranked as (
      select id::text as key, (1 - row_number() over (
        partition by account_id order by state = 'queued', id))::smallint as priority
      from operation where kind = ${filmKind.name} and state in ('queued', 'running') ${isConcerned}
    ), moved as (
      select job.id, ranked.priority from ranked join job
        on job.name = 'studio.exportProject' and job.unique_key = ranked.key
      where job.state = 'waiting' and job.priority <> ranked.priority
      for update of job skip locked
    )
    update job set priority = moved.priority,
      run_at = case when moved.priority = 0 then greatest(job.run_at, now()) else job.run_at end
    from moved where job.id = moved.id`);
}

export type ExportChange = OperationChange<FilmOperation['progress']> & {
  readonly file?: FileChange;
};

/** Changes an export that is in one of the states; another follows one that is over. Returns undefined for any other. */
export async function changeExport(
  db: Db,
  id: string,
  from: readonly OperationState[],
  change: ExportChange,
): Promise<FilmOperation | undefined> {
  const film = await changeFileOperation(db, [filmKind], id, from, change);
  if (film?.finishedAt) await rankWaiting(db, film.accountId);
  return film;
}
