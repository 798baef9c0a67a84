import { sql } from 'drizzle-orm';
import { texts } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import type { OperationRow } from '../../db/tables/operations.ts';
import { runMoveIn } from './jobs.ts';

/** Failures of a move that are listed, at positions from 0 on. */
export const MAX_FAILURES = 10_000;
/** Files that are listed for another reason have the positions behind those of the failures. */
const NOTES_FROM = MAX_FAILURES;
const MAX_NOTES = 990_000;

const FAILURE_COLUMNS = { position: column.integer, name: column.text, reason: column.text };
export type MoveInFailure = InferRow<typeof FAILURE_COLUMNS>;

export const insertFailures = (
  db: Db,
  operationId: string,
  failures: readonly MoveInFailure[],
): Promise<void> =>
  insertEntries(
    db,
    operationId,
    failures.filter(({ position }) => position < MAX_FAILURES),
  );

/** Adds files that are listed though nothing failed, at positions from 0 on. */
export const insertNotes = (
  db: Db,
  operationId: string,
  notes: readonly MoveInFailure[],
): Promise<void> =>
  insertEntries(
    db,
    operationId,
    notes
      .filter(({ position }) => position < MAX_NOTES)
      .map((note) => ({ ...note, position: NOTES_FROM + note.position })),
  );

async function insertEntries(
  db: Db,
  operationId: string,
  entries: readonly MoveInFailure[],
): Promise<void> {
  if (entries.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into move_in_failure (operation_id, position, name, reason)
    select ${operationId}::uuid, position, name, reason
    from jsonb_to_recordset(${JSON.stringify(entries)}::text::jsonb)
      item (position int, name text, reason text)`,
  );
}

/**
 * Returns whether another move of the account runs. In a transaction that is to begin a run: only one of an account begins
 * at a time.
 */
export async function hasOtherRun(
  db: Db,
  { id, accountId, kind }: Pick<OperationRow, 'id' | 'accountId' | 'kind'>,
): Promise<boolean> {
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended(${`move-in:${accountId}`}, 0))`,
  );
  const rows = await queryRows(
    db,
    sql`
    select from operation
    join job on job.name = ${runMoveIn.name} and job.unique_key = operation.id::text
    where operation.account_id = ${accountId}::uuid and operation.kind = ${kind}
      and operation.state = 'running' and operation.id <> ${id}::uuid and job.state = 'running'
    limit 1`,
  );
  return rows.length > 0;
}

/** Returns those of `ids` whose moves are not over, or have failed since. */
export async function filterNeeded(
  db: Db,
  ids: readonly string[],
  failedSince: Date,
): Promise<ReadonlySet<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from operation where id::text = any(${texts(ids)}) and kind = 'move-in'
      and (state in ('prepared', 'queued', 'running')
        or (state = 'failed' and finished_at > ${failedSince.toISOString()}::timestamptz))`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Deletes the failures and the notes. */
export async function deleteFailures(db: Db, operationId: string): Promise<void> {
  await queryRows(db, sql`delete from move_in_failure where operation_id = ${operationId}::uuid`);
}

/** Returns the failures behind a position, in the order in which they happened. */
export const listFailures = (
  db: Db,
  operationId: string,
  after: number,
  limit: number,
): Promise<MoveInFailure[]> =>
  queryRows(
    db,
    FAILURE_COLUMNS,
    sql`
    select position, name, reason from move_in_failure
    where operation_id = ${operationId}::uuid and position > ${after}::int
      and position < ${MAX_FAILURES}
    order by position limit ${limit}::int`,
  );

export type ReportEntry = MoveInFailure & { readonly isFailure: boolean };

/** Returns failures and then notes behind a position. */
export async function listReport(
  db: Db,
  operationId: string,
  after: number,
  limit: number,
): Promise<ReportEntry[]> {
  const rows = await queryRows(
    db,
    FAILURE_COLUMNS,
    sql`
    select position, name, reason from move_in_failure
    where operation_id = ${operationId}::uuid and position > ${after}::int
    order by position limit ${limit}::int`,
  );
  return rows.map((row) => ({ ...row, isFailure: row.position < NOTES_FROM }));
}
