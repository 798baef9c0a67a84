import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import type { PictureQuality } from '../../../media/quality.ts';
import { backgroundAssets } from '../../../access/unscoped.ts';

export type MeasuredPicture = PictureQuality & { readonly id: string; readonly tag: string };

/** Stores the quality of pictures; those that were deleted meanwhile are left out. */
export async function saveQualities(db: Db, measured: readonly MeasuredPicture[]): Promise<void> {
  if (measured.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into picture_quality (asset_id, thumbnail_tag, sharpness, exposure)
    select asset.id, given.tag, given.sharpness, given.exposure
    from jsonb_to_recordset(${JSON.stringify(measured)}::jsonb)
      given (id uuid, tag text, sharpness real, exposure real)
    join ${backgroundAssets} on asset.id = given.id order by 1
    on conflict (asset_id) do update set thumbnail_tag = excluded.thumbnail_tag,
      sharpness = excluded.sharpness, exposure = excluded.exposure`,
  );
}
