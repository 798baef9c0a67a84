import type { CaptureFacts } from '../../assets/index.ts';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** All texts of an asset: written and recognized. */
export type AssetTexts = CaptureFacts & {
  readonly id: string;
  readonly description: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
  readonly make: string | null;
  readonly tags: readonly string[];
  readonly parts: readonly {
    readonly kind: 'read' | 'caption' | 'spoken';
    readonly text: string;
  }[];
  /** Likely ones: source and name. */
  readonly labels: readonly string[];
  /** Names of those that the owner confirms. */
  readonly confirmed: readonly string[];
  /** First day of the month of capture. */
  readonly month: string;
};

/** Probability from which on a label is indexed. */
export const MIN_LABEL_SCORE = 0.1;

/**
 * Subquery: source, label and score of an asset's labels after the owner's decisions (is_right). Confirmed labels have
 * score 1; removed ones have 0, together with their kinds, counts and likely scenes ('2 zebra', 'sea?'). `assetId`: a
 * column. `broader`: names of the labels that include another, by its source and name (JSON).
 */
export const selectLabels = (assetId: SQL, broader: string): SQL => sql`(
  select given.source, given.label, coalesce(said.is_right::int::real, given.score) as score,
    said.is_right
  from asset_label given cross join lateral (
    select bool_and(is_right) as is_right from asset_label_decision decision
    where decision.asset_id = given.asset_id and (decision.label = btrim(given.label, '0123456789 ?')
      or not is_right and ${isBroader(broader, sql`given`)})) said
  where given.asset_id = ${assetId}
  union all
  select given.source, given.label, 1::real, true
  from (
    select source, label, asset_id
    from asset_label_decision cross join unnest(array['tags', 'objects', 'scenes']) source
    where asset_id = ${assetId} and is_right) given
  where not exists (select from asset_label other
      where other.asset_id = given.asset_id and other.label = given.label)
    and not exists (select from asset_label_decision decision
      where decision.asset_id = given.asset_id and not is_right
        and ${isBroader(broader, sql`given`)}))`;

const isBroader = (broader: string, given: SQL): SQL =>
  sql`${broader}::jsonb -> (${given}.source || ':' || btrim(${given}.label, '0123456789 ?')) ? decision.label`;

/**
 * Returns texts of any owner and state, for the text index; search results are filtered by scope.
 */
export async function listAssetTexts(
  db: Db,
  ids: readonly string[],
  broader: string,
): Promise<AssetTexts[]> {
  return queryRows(
    db,
    {
      id: column.uuid,
      fileName: column.text,
      description: column.text.orNull,
      city: column.text.orNull,
      state: column.text.orNull,
      country: column.text.orNull,
      make: column.text.orNull,
      model: column.text.orNull,
      type: column.text,
      lensModel: column.text.orNull,
      burstId: column.text.orNull,
      projectionType: column.text.orNull,
      fps: column.float.orNull,
      exifWidth: column.integer.orNull,
      exifHeight: column.integer.orNull,
      tags: column.textArray,
      parts: column.json<
        readonly {
          readonly kind: 'read' | 'caption' | 'spoken';
          readonly text: string;
        }[]
      >(),
      labels: column.textArray,
      confirmed: column.textArray,
      month: column.text,
    },
    sql`
    select asset.id, asset.file_name as "fileName", exif.description, exif.city, exif.state,
      exif.country, exif.make, exif.model, asset.type, exif.lens_model as "lensModel",
      exif.burst_id as "burstId", exif.projection_type as "projectionType", exif.fps,
      exif.exif_width as "exifWidth", exif.exif_height as "exifHeight",
      array(select tag.value from tag_asset join tag on tag.id = tag_asset.tag_id
        where tag_asset.asset_id = asset.id order by tag.value) as tags,
      coalesce((select jsonb_agg(jsonb_build_object('kind', part.kind, 'text', part.text))
        from asset_text_part part where part.asset_id = asset.id), '[]') as parts,
      array(select source || ':' || label from ${selectLabels(sql`asset.id`, broader)} label
        where score >= ${MIN_LABEL_SCORE}::real order by 1) as labels,
      array(select decision.label from asset_label_decision decision
        where decision.asset_id = asset.id and is_right order by 1) as confirmed,
      asset.local_month::text as month
    from ${backgroundAssets} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})`,
  );
}

/** Returns the subset of `ids` that exists, locked against deletion until the transaction ends. */
export async function lockExisting(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${backgroundAssets} where id = any(${uuids(ids)})
    order by id for key share`,
  );
  return new Set([...rows].map((row) => row.id));
}
