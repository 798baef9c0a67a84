import { sql } from 'drizzle-orm';
import { backgroundAssets as assets } from '../../../access/unscoped.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/**
 * Forgets what was made of the former content of files that have other content now and is not made anew by their
 * rendering alone. The rest stays until that replaces it: appliance/docs/external-libraries.md has the table. Returns
 * derived files that nothing refers to any more: delete them after the commit.
 */
export async function forgetContent(db: Db, ids: readonly string[]): Promise<string[]> {
  const isOfAssets = sql`asset_id = any(${uuids(ids)})`;
  await queryRows(db, sql`delete from asset_analysis where ${isOfAssets}`);
  await queryRows(db, sql`delete from video_speech where ${isOfAssets}`);
  await queryRows(
    db,
    sql`
    update video_enrichment set heard_by = '', hearing_by = '', heard_ms = 0, language = null, speech_error = null
    where ${isOfAssets}`,
  );
  const files = await queryRows(
    db,
    { name: column.text },
    sql`
    delete from asset_file
    where ${isOfAssets} and kind in ('fullsize', 'encoded_video', 'bare_video', 'bare_image')
    returning name`,
  );
  return files.map(({ name }) => name);
}

/**
 * Takes the clips from motion photos that have other content now; metadata extraction finds those that they have.
 * Returns the clips that came out of the former content. A video that somebody has uploaded is none: it has an identifier
 * by which they were paired, or was an item before somebody has linked it.
 */
export async function releaseClips(db: Db, ids: readonly string[], now: Date): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    with clip as materialized (
      select still.id as still_id, video.id from ${assets} still
      join ${assets} video on video.id = still.live_video_id
      left join asset_exif on asset_exif.asset_id = video.id
      where still.id = any(${uuids(ids)}) and video.library_id is null
        and video.standalone_visibility is null and video.uploaded_from is null
        and asset_exif.live_photo_cid is null and video.file_name like '%.mp4'
      order by still.id for no key update of still
    ), released as (
      update ${assets} set live_video_id = null, updated_at = ${now.toISOString()}::timestamptz
      from clip where asset.id = clip.still_id
    )
    select distinct clip.id from clip
    where not exists (
      select from ${assets} other where other.live_video_id = clip.id
        and other.id not in (select still_id from clip))`,
  );
  return rows.map(({ id }) => id);
}
