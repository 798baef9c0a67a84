import { eq, type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import type { OperationState } from '../../../db/tables/operations.ts';
import { workflowBackfills, workflows, type WorkflowRow } from '../../../db/tables/workflows.ts';
import { undoKind } from '../undo/kind.ts';

const BACKFILL_VIEW_COLUMNS = {
  id: column.uuid,
  workflowId: column.uuid,
  isPaused: column.boolean,
  total: column.integer,
  evaluated: column.integer,
  matched: column.integer,
  waiting: column.integer,
  /** All items have been evaluated, or will not be. */
  isCounted: column.boolean,
  isCancelled: column.boolean,
  /** Matches with a job, and those of them that have ended. */
  items: column.integer,
  processed: column.integer,
  error: column.text.orNull,
  createdAt: column.timestamptz,
  finishedAt: column.timestamptz.orNull,
  /** Its changes are known, and no undo was asked for. */
  isUndoable: column.boolean,
  undoState: column.text.as<OperationState>().orNull,
  undoTotal: column.integer.orNull,
  /** JSON by the schema of the kind of operation. */
  undoProgress: column.text.orNull,
};

/** Times are PostgreSQL's texts. */
export type BackfillView = InferRow<typeof BACKFILL_VIEW_COLUMNS>;

const selectBackfills = (condition: SQL) => sql`
  select backfill.run_id as id, backfill.workflow_id as "workflowId", backfill.is_paused as "isPaused",
    backfill.total, backfill.evaluated, backfill.matched, backfill.waiting,
    run.counted_at is not null as "isCounted", run.cancelled_at is not null as "isCancelled",
    run.items, coalesce(ended.items, 0) as processed, run.error, run.created_at as "createdAt",
    greatest(ended.finished_at, run.counted_at) as "finishedAt",
    backfill.keeps_changes and backfill.undone_at is null and exists (
      select from workflow_change where backfill_id = backfill.run_id) as "isUndoable",
    undo.state as "undoState", undo.total as "undoTotal", undo.progress::text as "undoProgress"
  from workflow_backfill backfill
  join job_run run on run.id = backfill.run_id
  join workflow on workflow.id = backfill.workflow_id
  left join operation undo on undo.account_id = workflow.owner_id and undo.kind = ${undoKind.name}
    and undo.request_id = backfill.run_id
  left join lateral (
    select sum(succeeded + failed + skipped)::int as items, max(finished_at) as finished_at
    from job_run_count where run_id = run.id) ended on true
  where ${condition}
  order by run.created_at desc, run.id desc limit 20`;

/** Returns the latest backfills of a workflow, newest first. */
export const listBackfills = (db: Db, workflowId: string): Promise<BackfillView[]> =>
  queryRows(
    db,
    BACKFILL_VIEW_COLUMNS,
    selectBackfills(sql`backfill.workflow_id = ${workflowId}::uuid`),
  );

export async function findBackfill(
  db: Db,
  workflowId: string,
  id: string,
): Promise<BackfillView | undefined> {
  const [row] = await queryRows(
    db,
    BACKFILL_VIEW_COLUMNS,
    selectBackfills(
      sql`backfill.workflow_id = ${workflowId}::uuid and backfill.run_id = ${id}::uuid`,
    ),
  );
  return row;
}

/** The latest runs of an account whose changes are kept. */
const KEPT = 20;

/** Gives up the changes of all but the latest runs of an account, to which one more is about to be added. */
export async function expireChanges(db: Db, accountId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update workflow_backfill set keeps_changes = false where run_id in (
      select backfill.run_id from workflow_backfill backfill
      join workflow on workflow.id = backfill.workflow_id
      join job_run run on run.id = backfill.run_id
      where workflow.owner_id = ${accountId}::uuid and backfill.keeps_changes
      order by run.created_at desc, run.id desc offset ${KEPT - 1})`,
  );
}

export async function markUndone(db: Db, runId: string, undoneAt: Date): Promise<void> {
  await db.update(workflowBackfills).set({ undoneAt }).where(eq(workflowBackfills.runId, runId));
}

/** Makes those who change the backfills of a workflow, or work on one, wait for each other. */
export async function lockBackfills(db: Db, workflowId: string): Promise<void> {
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended('workflow_backfill ' || ${workflowId}, 0))`,
  );
}

export async function insertBackfill(
  db: Db,
  row: typeof workflowBackfills.$inferInsert,
): Promise<void> {
  await db.insert(workflowBackfills).values(row);
}

export async function setPaused(db: Db, runId: string, isPaused: boolean): Promise<void> {
  await db.update(workflowBackfills).set({ isPaused }).where(eq(workflowBackfills.runId, runId));
}

/** Ends a backfill before all items were evaluated; those that match already are finished. */
export async function cancelBackfill(db: Db, runId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update job_run set cancelled_at = now(), counted_at = now()
    where id = ${runId}::uuid and counted_at is null`,
  );
}

/** Ends the run of a backfill whose workflow was deleted. */
export async function endOrphan(db: Db, runId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update job_run set cancelled_at = now(), counted_at = now()
    where id = ${runId}::uuid and counted_at is null
      and not exists (select from workflow_backfill where run_id = ${runId}::uuid)`,
  );
}

/** Returns the workflow of a backfill that has not ended and is not paused. */
export async function findActive(db: Db, runId: string): Promise<WorkflowRow | undefined> {
  const [row] = await db
    .select({ workflow: workflows })
    .from(workflowBackfills)
    .innerJoin(workflows, eq(workflows.id, workflowBackfills.workflowId))
    .where(
      sql`${workflowBackfills.runId} = ${runId}::uuid and not ${workflowBackfills.isPaused} and exists (
        select from job_run run where run.id = ${runId}::uuid and run.counted_at is null)`,
    );
  return row?.workflow;
}

export async function countLibrary(db: Db, session: UserSession): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { items: column.integer },
      sql`select count(*)::int as items from ${ownAssets(db, session, 'library')}`,
    ),
  );
  return row.items;
}

const NEXT_COLUMNS = { id: column.uuid, createdAt: column.text };

/** `createdAt` is PostgreSQL's text. */
export type Next = InferRow<typeof NEXT_COLUMNS>;

/** Returns the next items of the library that a backfill evaluates, the newest uploads first. */
export const listNext = (
  db: Db,
  session: UserSession,
  runId: string,
  limit: number,
): Promise<Next[]> =>
  queryRows(
    db,
    NEXT_COLUMNS,
    sql`
    select asset.id, asset.created_at::text as "createdAt" from ${ownAssets(db, session, 'library')}
    where (asset.created_at, asset.id) < (
      select coalesce(after_created_at, 'infinity'),
        coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      from workflow_backfill where run_id = ${runId}::uuid)
    order by asset.created_at desc, asset.id desc limit ${limit}`,
  );

export type Progress = {
  readonly evaluated: number;
  readonly matched: number;
  readonly waiting: number;
  readonly last: Next;
};

export async function saveProgress(
  db: Db,
  runId: string,
  { evaluated, matched, waiting, last }: Progress,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update workflow_backfill set evaluated = evaluated + ${evaluated}::int,
      matched = matched + ${matched}::int, waiting = waiting + ${waiting}::int,
      after_created_at = ${last.createdAt}::timestamptz, after_id = ${last.id}::uuid
    where run_id = ${runId}::uuid`,
  );
}
