import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { AnalyzedAsset, Label } from '../../../inference/index.ts';
import { tokenize } from '../match/words.ts';
import { computeExposureValue, computeSunHeight } from './scene-light.ts';
import type { SceneSignals } from './scene-signals.ts';

/** Sources of dates that are no moment of capture. */
const OTHER_DATES: ReadonlySet<string> = new Set(['Export', 'FileName', 'FileModified']);

/**
 * Returns what is known of an asset of any owner and in any state: its scenes are seen through the scope like the
 * picture. Objects that were found before are known without their number.
 */
export async function listSceneSignals(
  db: Db,
  { assetId, layout = [], objects, text = [] }: AnalyzedAsset,
  tags: readonly Label[],
): Promise<SceneSignals> {
  const [facts] = await queryRows(
    db,
    {
      takenAt: column.timestamptz,
      dateSource: column.text.orNull,
      fNumber: column.float.orNull,
      exposureTime: column.text.orNull,
      iso: column.integer.orNull,
      latitude: column.float.orNull,
      longitude: column.float.orNull,
      read: column.text.orNull,
      objects: column.json<readonly Label[]>(),
    },
    sql`
    select asset.taken_at as "takenAt", exif.date_source as "dateSource", exif.f_number as "fNumber",
      exif.exposure_time as "exposureTime", exif.iso, exif.latitude, exif.longitude,
      (select part.text from asset_text_part part
        where part.asset_id = asset.id and part.kind = 'read') as read,
      coalesce((select jsonb_agg(jsonb_build_object('label', ltrim(label, '0123456789 '), 'score', score))
        from asset_label where asset_id = asset.id and source = 'objects'), '[]') as objects
    from ${backgroundAssets} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = ${assetId}`,
  );
  const { latitude = null, longitude = null, dateSource = null } = facts ?? {};
  const isPlaced = latitude !== null && longitude !== null;
  const isTimed = dateSource !== null && !OTHER_DATES.has(dateSource);
  return {
    tags,
    objects: objects ?? facts?.objects ?? [],
    layout,
    exposure: facts && computeExposureValue(facts),
    sunHeight:
      facts && isPlaced && isTimed
        ? computeSunHeight(new Date(facts.takenAt), latitude, longitude)
        : undefined,
    words: tokenize([facts?.read ?? '', ...text.map((line) => line.text)].join(' ')),
  };
}
