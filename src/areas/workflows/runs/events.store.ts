import { sql } from 'drizzle-orm';
import { unscopedAssets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { prepareQuery, queryRows } from '../../../db/query.ts';
import type { WorkflowTrigger } from '../../../db/tables/workflows.ts';

// Transactions of actions say how many workflows led to them: what they change is an event of the next
// level. The setting ends with the transaction.

/** Sets the depth of the events of this transaction. */
export async function setEventDepth(db: Db, depth: number): Promise<void> {
  await queryRows(db, sql`select set_config('safelight.workflow_depth', ${String(depth)}, true)`);
}

const insertWanted = prepareQuery<{ assetId: string }>(sql`
  insert into workflow_event (asset_id, trigger, depth)
  select asset.id, ${sql.placeholder('trigger')}::text,
    coalesce(nullif(current_setting('safelight.workflow_depth', true), '')::smallint, 0)
  from ${unscopedAssets}
  where asset.id = any(${sql.placeholder('assetIds')}::uuid[]) and exists (
    select from workflow where workflow.owner_id = asset.owner_id
      and workflow.trigger = ${sql.placeholder('trigger')}::text and workflow.is_enabled)
  order by asset.id
  returning asset_id as "assetId"`);

/** Inserts an event for each asset whose owner has an enabled workflow for it; returns those assets. */
export async function insertEvents(
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<string[]> {
  const rows = await insertWanted(db, { trigger, assetIds: `{${assetIds.join(',')}}` });
  return rows.map((row) => row.assetId);
}

export type WorkflowEvent = { readonly trigger: WorkflowTrigger; readonly depth: number };

/** Removes the events of an asset and returns them, oldest first. */
export async function takeEvents(db: Db, assetId: string): Promise<WorkflowEvent[]> {
  return queryRows<WorkflowEvent>(
    db,
    sql`
    with taken as (
      delete from workflow_event where asset_id = any(${uuids([assetId])})
      returning id, trigger, depth)
    select trigger, depth from taken order by id`,
  );
}

/** Returns the owner of an asset; undefined when it is gone. */
export async function findAssetOwner(db: Db, assetId: string): Promise<string | undefined> {
  const [row] = await queryRows<{ ownerId: string }>(
    db,
    sql`select asset.owner_id as "ownerId" from ${unscopedAssets} where asset.id = ${assetId}::uuid`,
  );
  return row?.ownerId;
}
