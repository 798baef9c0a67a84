import { sql } from 'drizzle-orm';
import { checkedAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { prepareQuery } from '../../db/query.ts';
import type { WorkflowTrigger } from '../../db/tables/workflows.ts';

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
