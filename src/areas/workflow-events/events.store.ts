import { sql, type SQL } from 'drizzle-orm';
import { backgroundAssets, checkedAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { prepareQuery, queryRows } from '../../db/query.ts';
import type { WorkflowTrigger } from '../../db/tables/workflows.ts';
import { uuids } from '../../db/arrays.ts';

// Transactions of actions say how many workflows led to them: what they change is an event of the next
// level. The setting ends with the transaction.

/** Sets the depth of the events of this transaction. */
export async function setEventDepth(db: Db, depth: number): Promise<void> {
  await queryRows(db, sql`select set_config('safelight.workflow_depth', ${String(depth)}, true)`);
}

const insertWanted = prepareQuery(
  { assetId: column.uuid },
  sql`
  insert into workflow_event (asset_id, trigger, depth)
  select asset.id, ${sql.placeholder('trigger')}::text,
    coalesce(nullif(current_setting('safelight.workflow_depth', true), '')::smallint, 0)
  from ${checkedAssets}
  where asset.id = any(${sql.placeholder('assetIds')}::uuid[]) and exists (
    select from workflow where workflow.owner_id = asset.owner_id
      and workflow.trigger = ${sql.placeholder('trigger')}::text and workflow.is_enabled)
  order by asset.id
  returning asset_id as "assetId"`,
);

/** Inserts an event for each asset whose owner has an enabled workflow for it; returns those assets. */
export async function insertEvents(
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<string[]> {
  const rows = await insertWanted(db, { trigger, assetIds: `{${assetIds.join(',')}}` });
  return rows.map((row) => row.assetId);
}

const WORKFLOW_EVENT_COLUMNS = {
  /** bigint as text */
  id: column.text,
  trigger: column.text.as<WorkflowTrigger>(),
  depth: column.integer,
  ownerId: column.uuid,
  isLast: column.boolean,
};

export type WorkflowEvent = InferRow<typeof WORKFLOW_EVENT_COLUMNS>;

const selectOldest = prepareQuery(
  WORKFLOW_EVENT_COLUMNS,
  sql`
  select event.id::text, event.trigger, event.depth, asset.owner_id as "ownerId",
    not exists (
      select from workflow_event later where later.asset_id = event.asset_id and later.id > event.id
    ) as "isLast"
  from workflow_event event join ${backgroundAssets} on asset.id = event.asset_id
  where event.asset_id = ${sql.placeholder('assetId')}::uuid order by event.id limit 1
  for update of event`,
);

/** Returns the oldest event of an asset, and locks it. */
export async function lockOldestEvent(db: Db, assetId: string): Promise<WorkflowEvent | undefined> {
  const [event] = await selectOldest(db, { assetId });
  return event;
}

/** Marks that the workflows up to this one, in their order, have been dealt with. */
export async function moveEvent(db: Db, id: string, workflowId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update workflow_event set after_created_at = workflow.created_at, after_id = workflow.id
    from workflow where workflow.id = ${workflowId}::uuid and workflow_event.id = ${id}::bigint`,
  );
}

const deleteById = prepareQuery(sql`
  delete from workflow_event where id = ${sql.placeholder('id')}::bigint`);

export async function deleteEvent(db: Db, id: string): Promise<void> {
  await deleteById(db, { id });
}

const CANDIDATE_COLUMNS = {
  assetId: column.uuid,
  ownerId: column.uuid,
  /** Differs after every change of the enabled workflows of owner and trigger, and of their keys. */
  revision: column.text,
  /** An earlier event or run of the asset has not ended. */
  isPending: column.boolean,
};

export type Candidate = InferRow<typeof CANDIDATE_COLUMNS>;

const selectCandidates = prepareQuery(
  CANDIDATE_COLUMNS,
  sql`
  with owner as materialized (
    select changed.id, (
      select concat_ws(' ', count(*), max(workflow.updated_at),
        sum(hashtextextended(workflow.id::text, workflow.xmin::text::bigint)), (
          select string_agg(concat(api_key.id, api_key.xmin), ' ' order by api_key.id)
          from api_key where api_key.id = any(array_agg(workflow.api_key_id))))
      from workflow
      where workflow.owner_id = changed.id and workflow.is_enabled
        and workflow.trigger = ${sql.placeholder('trigger')}::text
      having count(*) > 0
    ) as revision
    from (
      select distinct asset.owner_id as id from ${checkedAssets}
      where asset.id = any(${sql.placeholder('assetIds')}::uuid[])
    ) changed
  )
  select asset.id as "assetId", asset.owner_id as "ownerId", owner.revision,
    exists (select from workflow_event event where event.asset_id = asset.id)
    or exists (
      select from workflow_run run where run.asset_id = asset.id and run.result is null
    ) as "isPending"
  from owner join ${checkedAssets} on asset.owner_id = owner.id
  where asset.id = any(${sql.placeholder('assetIds')}::uuid[]) and owner.revision is not null`,
);

/** Returns those of the assets whose owner has an enabled workflow for the event. */
export const listCandidates = (
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<Candidate[]> => selectCandidates(db, { trigger, assetIds: `{${assetIds.join(',')}}` });

/** Returns those of the assets with a run that waits for recognition. */
export const listWaitingByAssets = (db: Db, assetIds: readonly string[]): Promise<string[]> =>
  listWaiting(db, sql`asset_id = any(${uuids(assetIds)})`);

/** The same for the assets with these faces. */
export const listWaitingByFaces = (db: Db, faceIds: readonly string[]): Promise<string[]> =>
  listWaiting(
    db,
    sql`asset_id in (select face.asset_id from face where face.id = any(${uuids(faceIds)}))`,
  );

async function listWaiting(db: Db, condition: SQL): Promise<string[]> {
  const rows = await queryRows(
    db,
    { assetId: column.uuid },
    sql`
    select distinct asset_id as "assetId" from workflow_run
    where result is null and waits_for is not null and ${condition}`,
  );
  return rows.map((row) => row.assetId);
}
