import { backgroundAssets } from '../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';
import { hasJob } from '../jobs/queue.ts';

const ANALYSIS_SUBJECT_COLUMNS = {
  ownerId: column.uuid,
  type: column.text.as<'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER'>(),
  /** Preview file relative to the derived folder. */
  preview: column.text,
  /** Revision of the picture, as `picture_revision` returns it. */
  revision: column.text,
  /** Model by completed task. */
  done: column.json<Readonly<Record<string, string>>>(),
};

export type AnalysisSubject = InferRow<typeof ANALYSIS_SUBJECT_COLUMNS>;

/** The file of an asset's preview: of the edited picture, if there is one. */
export const selectPreviewName = (assetId: SQL): SQL => sql`(
  select file.name from asset_file file
  where file.asset_id = ${assetId} and file.kind in ('edited_preview', 'preview')
  order by file.kind = 'edited_preview' desc limit 1)`;

/**
 * Returns an asset of any owner and in any state, Locked and trashed too: what is found in it is shown through the
 * scope like the picture itself. Undefined for what is gone, has no preview yet, is the video half
 * of a live photo, whose still says it all, or gets another picture soon, which is looked at then.
 */
export async function findAnalysisSubject(
  db: Db,
  assetId: string,
): Promise<AnalysisSubject | undefined> {
  const [row] = await queryRows(
    db,
    ANALYSIS_SUBJECT_COLUMNS,
    sql`
    select asset.owner_id as "ownerId", asset.type, ${selectPreviewName(sql`asset.id`)} as preview,
      picture_revision(asset.id) as revision, coalesce((
      select json_object_agg(task, model_id) from asset_analysis where asset_id = asset.id
    ), '{}') as done
    from ${backgroundAssets} join asset_file file on file.asset_id = asset.id and file.kind = 'preview'
    where asset.id = ${assetId} and asset.visibility <> 'hidden'
      and not ${hasJob('assets.renderEdits', sql`asset.id::text`)}`,
  );
  return row;
}

/** Locks an asset before results are written: a fixed lock order for all writers. */
export async function lockAsset(db: Db, assetId: string): Promise<void> {
  await queryRows(
    db,
    sql`select 1 from ${backgroundAssets} where id = ${assetId} for no key update`,
  );
}

/**
 * Whether a picture waits for another model to look at it, which this one has looked at. Pictures that
 * are not looked at any more and those that every attempt has failed on are not waited for.
 */
export async function isModelStillNeeded(db: Db, modelId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from asset_analysis done join ${backgroundAssets} on asset.id = done.asset_id
    where done.model_id = ${modelId} and asset.visibility <> 'hidden'
      and exists (select 1 from asset_file file
        where file.asset_id = asset.id and file.kind = 'preview')
      and not exists (select 1 from job where job.state in ('failed', 'cancelled')
        and job.name like 'inference.%' and job.payload ->> 'assetId' = asset.id::text)
    limit 1`,
  );
  return rows.length > 0;
}
