import { sql } from 'drizzle-orm';
import type { Db } from '../db/client.ts';

export type AnalysisSubject = {
  readonly ownerId: string;
  readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER';
  /** Of the stored preview, relative to the derived folder. */
  readonly preview: string;
  /** What has looked at it: model by task. */
  readonly done: Readonly<Record<string, string>>;
};

/**
 * Of any owner and in any state, Locked and trashed too: what is found in it is shown through the
 * scope like the picture itself. Undefined for what is gone, has no preview yet, or is the video half
 * of a live photo, whose still says it all.
 */
export async function findForAnalysis(
  db: Db,
  assetId: string,
): Promise<AnalysisSubject | undefined> {
  const [row] = await db.execute<AnalysisSubject>(sql`
    select asset.owner_id as "ownerId", asset.type, file.name as preview, coalesce((
      select json_object_agg(task, model_id) from asset_analysis where asset_id = asset.id
    ), '{}') as done
    from asset join asset_file file on file.asset_id = asset.id and file.kind = 'preview'
    where asset.id = ${assetId} and asset.visibility <> 'hidden'`);
  return row;
}

/** What is written about an asset is written after this: everybody then waits in one order. */
export async function lockAnalyzed(db: Db, assetId: string): Promise<void> {
  await db.execute(sql`select 1 from asset where id = ${assetId} for no key update`);
}
