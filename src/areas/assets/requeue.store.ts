import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import type { AssetType } from '../../db/tables/assets.ts';

export type RequeueQueue = 'metadataExtraction' | 'thumbnailGeneration' | 'videoConversion';
export type RequeueRow = { readonly id: string; readonly type: AssetType };

const hasFile = (kind: SQL) =>
  sql`exists (select 1 from asset_file file where file.asset_id = asset.id and file.kind = ${kind})`;

/** What a queue has not done yet. A broken file is done: it is tried again only when forced. */
const IS_MISSING: Record<RequeueQueue, SQL> = {
  metadataExtraction: sql`asset.metadata_read_at is null`,
  thumbnailGeneration: sql`asset.type in ('IMAGE', 'VIDEO') and asset.broken_reason is null
    and (asset.thumbhash is null or not ${hasFile(sql`'thumbnail'`)} or not ${hasFile(sql`'preview'`)})`,
  videoConversion: sql`asset.type = 'VIDEO' and asset.broken_reason is null
    and not ${hasFile(sql`'encoded_video'`)}`,
};

const IS_MEANT: Record<RequeueQueue, SQL> = {
  metadataExtraction: sql`true`,
  thumbnailGeneration: sql`asset.type in ('IMAGE', 'VIDEO')`,
  videoConversion: sql`asset.type = 'VIDEO'`,
};

export type RequeuePage = {
  readonly queue: RequeueQueue;
  readonly force: boolean;
  readonly after: string | undefined;
  readonly limit: number;
};

/** The next assets by id, in any state and of any owner: an administrator asked for all. */
export async function findToRequeue(db: Db, page: RequeuePage): Promise<RequeueRow[]> {
  const after = page.after ? sql`and asset.id > ${page.after}` : sql``;
  const rows = await db.execute<RequeueRow>(sql`
    select asset.id, asset.type from asset
    where ${page.force ? IS_MEANT[page.queue] : IS_MISSING[page.queue]} ${after}
    order by asset.id limit ${page.limit}`);
  return [...rows];
}
