import { and, asc, desc, eq, gt, isNull, sql, isNotNull, lt } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { prepareQuery, queryRows } from '../../../db/query.ts';
import {
  type WorkflowRow,
  type WorkflowRunRow,
  type WorkflowTrigger,
  workflowRuns,
  workflows,
} from '../../../db/tables/workflows.ts';
import type { WorkflowEvent } from '../../workflow-events/index.ts';
import type { WorkflowLogsFilter } from '../schemas.ts';
import { uuids } from '../../../db/arrays.ts';
import { apiKeys } from '../../../db/tables/identity.ts';

export const NIL = '00000000-0000-0000-0000-000000000000';

export type NewRun = typeof workflowRuns.$inferInsert;

/**
 * Returns the enabled workflows that an event starts and that have not been dealt with, oldest first: the
 * order of their runs.
 */
export async function listEnabled(
  db: Db,
  { id, ownerId, trigger }: WorkflowEvent,
): Promise<WorkflowRow[]> {
  const isLater = sql`(${workflows.createdAt}, ${workflows.id}) > (
    select coalesce(after_created_at, '-infinity'), coalesce(after_id, ${NIL}::uuid)
    from workflow_event where id = ${id}::bigint)`;
  return db
    .select()
    .from(workflows)
    .where(and(isStarted(ownerId, trigger), isLater))
    .orderBy(asc(workflows.createdAt), asc(workflows.id))
    .prepare('workflows.listEnabled')
    .execute();
}

/** Returns all enabled workflows of an account that an event starts. */
export const listStarted = (
  db: Db,
  ownerId: string,
  trigger: WorkflowTrigger,
): Promise<WorkflowRow[]> => db.select().from(workflows).where(isStarted(ownerId, trigger));

const isStarted = (ownerId: string, trigger: WorkflowTrigger) =>
  and(
    eq(workflows.ownerId, ownerId),
    eq(workflows.trigger, trigger),
    eq(workflows.isEnabled, true),
  );

export async function insertRuns(db: Db, runs: readonly NewRun[]): Promise<void> {
  if (runs.length > 0) await db.insert(workflowRuns).values([...runs]);
}

export type RunOfWorkflow = { readonly run: WorkflowRunRow; readonly workflow: WorkflowRow };

const selectUnfinished = prepareQuery(sql`
  select from workflow_run where asset_id = ${sql.placeholder('assetId')}::uuid and result is null
    and id > ${sql.placeholder('afterId')}::uuid limit 1`);

/** Returns whether an asset has runs that have not ended, after the one named. */
export const hasUnfinished = async (
  db: Db,
  assetId: string,
  afterId: string = NIL,
): Promise<boolean> => (await selectUnfinished(db, { assetId, afterId })).length > 0;

/** Returns the runs of an asset that have not ended, in order, after the one named, and locks them. */
export const lockUnfinished = (
  db: Db,
  assetId: string,
  afterId: string = NIL,
): Promise<RunOfWorkflow[]> =>
  db
    .select({ run: workflowRuns, workflow: workflows })
    .from(workflowRuns)
    .innerJoin(workflows, eq(workflows.id, workflowRuns.workflowId))
    .where(
      and(
        eq(workflowRuns.assetId, assetId),
        isNull(workflowRuns.result),
        gt(workflowRuns.id, afterId),
      ),
    )
    .orderBy(asc(workflowRuns.id))
    .for('update', { of: workflowRuns });

/** Locks an attempt; undefined when it has ended, or its workflow is gone. */
export async function lockRun(db: Db, id: string): Promise<RunOfWorkflow | undefined> {
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

/** Deletes the runs of a backfill that have not ended, once none of them is at work. */
export async function deleteUnfinishedRuns(db: Db, backfillId: string): Promise<void> {
  await db
    .delete(workflowRuns)
    .where(and(eq(workflowRuns.backfillId, backfillId), isNull(workflowRuns.result)));
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

/** Returns a page of the assets with a run that has not ended. */
export async function listUnfinishedAssets(
  db: Db,
  limit: number,
  afterId: string,
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { assetId: column.uuid },
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

/**
 * Returns the logged attempts of the runs of a workflow, newest first. A page goes on to the end of its
 * last millisecond, because the next one is asked for by that time.
 */
export const listEntries = (
  db: Db,
  workflowId: string,
  { before, result, limit }: WorkflowLogsFilter,
): Promise<WorkflowRunRow[]> => {
  const matching = and(
    eq(workflowRuns.workflowId, workflowId),
    isNotNull(workflowRuns.result),
    eq(workflowRuns.isLogged, true),
    result ? eq(workflowRuns.result, result) : undefined,
    before ? lt(workflowRuns.finishedAt, new Date(before)) : undefined,
  );
  const page = sql`(
    select ${workflowRuns.id} from ${workflowRuns} where ${matching}
    order by ${workflowRuns.finishedAt} desc fetch first ${limit} rows with ties)`;
  return db
    .select()
    .from(workflowRuns)
    .where(sql`${workflowRuns.id} in ${page}`)
    .orderBy(desc(workflowRuns.finishedAt), desc(workflowRuns.id));
};

/** Returns the permissions of those of the keys that have not been revoked, by id. */
export async function readKeyPermissions(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: apiKeys.id, permissions: apiKeys.permissions })
    .from(apiKeys)
    .where(sql`${apiKeys.id} = any(${uuids(ids)})`);
  return new Map(rows.map(({ id, permissions }) => [id, new Set(permissions)]));
}
