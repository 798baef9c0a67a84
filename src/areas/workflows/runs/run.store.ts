import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import {
  type WorkflowRow,
  type WorkflowRunRow,
  workflowRuns,
  workflows,
  type WorkflowTrigger,
} from '../../../db/tables/workflows.ts';

export type NewRun = typeof workflowRuns.$inferInsert;

/** Returns the enabled workflows of an account for a trigger, oldest first: the order of their runs. */
export const listEnabled = (
  db: Db,
  ownerId: string,
  trigger: WorkflowTrigger,
): Promise<WorkflowRow[]> =>
  db
    .select()
    .from(workflows)
    .where(
      and(
        eq(workflows.ownerId, ownerId),
        eq(workflows.trigger, trigger),
        eq(workflows.isEnabled, true),
      ),
    )
    .orderBy(asc(workflows.createdAt), asc(workflows.id));

export async function insertRuns(db: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length > 0) await db.insert(workflowRuns).values([...runs]);
}

/** Returns the ids of the runs of an asset that have not ended, in order. */
export async function listUnfinished(db: Db, assetId: string): Promise<string[]> {
  const rows = await db
    .select({ id: workflowRuns.id })
    .from(workflowRuns)
    .where(and(eq(workflowRuns.assetId, assetId), isNull(workflowRuns.result)))
    .orderBy(asc(workflowRuns.id));
  return rows.map((row) => row.id);
}

/** Locks an attempt; undefined when it has ended, or its workflow is gone. */
export async function lockRun(
  db: Db,
  id: string,
): Promise<{ readonly run: WorkflowRunRow; readonly workflow: WorkflowRow } | undefined> {
  const [row] = await db
    .select({ run: workflowRuns, workflow: workflows })
    .from(workflowRuns)
    .innerJoin(workflows, eq(workflows.id, workflowRuns.workflowId))
    .where(and(eq(workflowRuns.id, id), isNull(workflowRuns.result)))
    .for('update', { of: workflowRuns });
  return row;
}

export async function updateRun(db: Db, id: string, change: Partial<NewRun>): Promise<void> {
  await db.update(workflowRuns).set(change).where(eq(workflowRuns.id, id));
}

export async function deleteRun(db: Db, id: string): Promise<void> {
  await db.delete(workflowRuns).where(eq(workflowRuns.id, id));
}

/** Returns the latest attempt of a run, and locks it. */
export async function lockLatestAttempt(
  db: Db,
  workflowId: string,
  runId: string,
): Promise<WorkflowRunRow | undefined> {
  const [row] = await db
    .select()
    .from(workflowRuns)
    .where(and(eq(workflowRuns.workflowId, workflowId), eq(workflowRuns.runId, runId)))
    .orderBy(desc(workflowRuns.attempt))
    .limit(1)
    .for('update');
  return row;
}

/**
 * Returns the recognition tasks that have been done for an asset, also in vain. Faces count once it is
 * known whose they are.
 */
export async function listDoneTasks(db: Db, assetId: string): Promise<Set<string>> {
  const rows = await queryRows<{ task: string }>(
    db,
    sql`
    select task from asset_analysis where asset_id = ${assetId}::uuid
      and not (task = 'faces' and exists (
        select from face where face.asset_id = ${assetId}::uuid and face.clustered_at is null))`,
  );
  return new Set(rows.map((row) => row.task));
}

/** Returns a page of the assets with a run that has not ended. */
export async function listUnfinishedAssets(
  db: Db,
  limit: number,
  afterId: string,
): Promise<string[]> {
  const rows = await queryRows<{ assetId: string }>(
    db,
    sql`
    select distinct asset_id as "assetId" from workflow_run
    where result is null and asset_id > ${afterId}::uuid order by asset_id limit ${limit}`,
  );
  return rows.map((row) => row.assetId);
}

/** Deletes ended runs older than a time; returns how many. */
export async function deleteFinishedBefore(db: Db, before: Date, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    sql`
    delete from workflow_run where id in (
      select id from workflow_run
      where result is not null and finished_at < ${before.toISOString()}::timestamptz
      limit ${limit}) returning 1`,
  );
  return rows.length;
}
