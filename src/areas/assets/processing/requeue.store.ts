import { backgroundAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import type { AssetType } from '../../../db/tables/assets.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { pickFrames } from '../../enrichment-queue/index.ts';

export type RequeueQueue =
  'metadataExtraction' | 'thumbnailGeneration' | 'videoConversion' | 'videoMoments';
export type RequiredAnalysis = { readonly task: string; readonly modelId: string };
const REQUEUE_COLUMNS = { id: column.uuid, type: column.text.as<AssetType>() };

export type RequeueRow = InferRow<typeof REQUEUE_COLUMNS>;

const hasFile = (kind: SQL) =>
  sql`exists (select 1 from asset_file file where file.asset_id = asset.id and file.kind = ${kind})`;

/**
 * Assets that a queue has not processed, including broken ones: the cause may have been a full disk, a
 * killed tool or an earlier version.
 */
const IS_MISSING: Record<RequeueQueue, SQL> = {
  videoMoments: sql`asset.type = 'VIDEO' and exists (select from video_enrichment video
    where video.asset_id = asset.id and video.status = 'pending')`,
  metadataExtraction: sql`(asset.metadata_read_at is null
    or not exists (select 1 from asset_exif exif where exif.asset_id = asset.id))`,
  // Most sound files have no cover.
  thumbnailGeneration: sql`asset.type in ('IMAGE', 'VIDEO', 'AUDIO')
    and (asset.thumbhash is null and asset.type <> 'AUDIO' or asset.thumbhash is not null
      and (not ${hasFile(sql`'thumbnail'`)} or not ${hasFile(sql`'preview'`)}))`,
  videoConversion: sql`asset.type in ('VIDEO', 'AUDIO') and asset.broken_reason is null
    and not ${hasFile(sql`'encoded_video'`)}`,
};

const IS_APPLICABLE: Record<RequeueQueue, SQL> = {
  videoMoments: sql`asset.type = 'VIDEO' and asset.visibility <> 'hidden'
    and asset.broken_reason is null`,
  metadataExtraction: sql`true`,
  thumbnailGeneration: sql`asset.type in ('IMAGE', 'VIDEO', 'AUDIO')`,
  videoConversion: sql`asset.type in ('VIDEO', 'AUDIO')`,
};

/** Jobs that were given up are tried again by themselves: see jobs/given-up.ts. */
const isNotGivenUp = (queue: RequeueQueue): SQL => sql`not exists (
  select from job where job.state = 'failed' and job.unique_key = asset.id::text
    and job.queue = ${queue === 'videoMoments' ? pickFrames.queue : queue})`;

export type RequeuePage = {
  readonly queue: RequeueQueue;
  readonly force: boolean;
  readonly skipsBroken?: boolean | undefined;
  readonly after: string | undefined;
  readonly limit: number;
};

/** Returns the next assets by id, in any state and of any owner, for an administrator's request. */
export async function findToRequeue(db: Db, page: RequeuePage): Promise<RequeueRow[]> {
  const after = page.after ? sql`and asset.id > ${page.after}` : sql``;
  const isWhole = page.skipsBroken
    ? sql`and asset.broken_reason is null and ${isNotGivenUp(page.queue)}`
    : sql``;
  return queryRows(
    db,
    REQUEUE_COLUMNS,
    sql`
    select asset.id, asset.type from ${backgroundAssets}
    where ${page.force ? IS_APPLICABLE[page.queue] : IS_MISSING[page.queue]} ${isWhole} ${after}
    order by asset.id limit ${page.limit}`,
  );
}

export type AnalysisPage = {
  readonly wanted: readonly RequiredAnalysis[];
  readonly force: boolean;
  readonly after: string | undefined;
  readonly limit: number;
};

/**
 * Returns the next assets with a preview that lack one of these analyses, or with `force` all of them.
 */
export async function findToAnalyze(db: Db, page: AnalysisPage): Promise<RequeueRow[]> {
  const after = page.after ? sql`and asset.id > ${page.after}` : sql``;
  const isMissing = sql`exists (
    select 1 from jsonb_array_elements(${JSON.stringify(page.wanted)}::jsonb) wanted
    where not exists (
      select 1 from asset_analysis done where done.asset_id = asset.id
        and done.task = wanted ->> 'task' and done.model_id = wanted ->> 'modelId'))`;
  return queryRows(
    db,
    REQUEUE_COLUMNS,
    sql`
    select asset.id, asset.type from ${backgroundAssets}
    where asset.visibility <> 'hidden' and asset.type <> 'AUDIO' and ${hasFile(sql`'preview'`)}
      and ${page.force ? sql`true` : isMissing} ${after}
    order by asset.id limit ${page.limit}`,
  );
}
