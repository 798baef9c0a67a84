import { sql } from 'drizzle-orm';
import { ownerAssets } from '../../../access/unscoped.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import {
  getSummaries,
  type MonthSummary,
  type SummaryReader,
  type ValueCount,
} from './month-summaries.ts';
import { isInMonths } from './months.ts';

const FACT_COLUMNS = {
  month: column.text,
  kind: column.text.as<FactKind>(),
  part_1: column.text.orNull,
  part_2: column.text.orNull,
  part_3: column.text.orNull,
  count: column.integer,
};
const PLACE_COLUMNS = { ...FACT_COLUMNS, example: column.uuid.orNull };

type Row = InferRow<typeof FACT_COLUMNS> & Partial<InferRow<typeof PLACE_COLUMNS>>;

const toValue = ({ month, kind, part_1, part_2, part_3, count, example = null }: Row) => ({
  month,
  parts: [kind, part_1, part_2, part_3],
  count,
  example,
});

/** Counts by place, camera and rating. */
const EXIF: MonthSummary = {
  kind: 'exif',
  format: 1,
  async count(db, ownerId, months) {
    const rows = await queryPrepared(
      db,
      PLACE_COLUMNS,
      sql`select asset.local_month::text as month,
          case when grouping(country) = 0 then 'place' when grouping(make) = 0 then 'camera'
            else 'rating' end as kind,
          coalesce(country, make, rating::text) as part_1, coalesce(state, model) as part_2,
          coalesce(city, lens_model) as part_3, count(*)::int as count,
          case when grouping(country) = 0 then (array_agg(asset.id))[1] end as example
        from ${ownerAssets} join asset_exif exif on exif.asset_id = asset.id
        where asset.owner_id = ${ownerId} and asset.visibility = 'timeline'
          and asset.locked_at is null and asset.trashed_at is null and ${isInMonths(months)}
        group by grouping sets ((asset.local_month, country, state, city),
          (asset.local_month, make, model, lens_model), (asset.local_month, rating))
        having num_nonnulls(country, state, city, make, model, lens_model, nullif(rating, 0)) > 0`,
    );
    return rows.map(toValue);
  },
};

/** Counts by person, and of the assets with any tag or any recognised person. */
const LABELS: MonthSummary = {
  kind: 'labels',
  format: 1,
  async count(db, ownerId, months) {
    const rows = await queryPrepared(
      db,
      FACT_COLUMNS,
      sql`with item as materialized (
          select asset.id, asset.local_month from ${ownerAssets}
          where asset.owner_id = ${ownerId} and asset.visibility = 'timeline'
            and asset.locked_at is null and asset.trashed_at is null and ${isInMonths(months)}
        ), shown as materialized (
          select distinct item.id, item.local_month, face.person_id
          from item join face on face.asset_id = item.id
          where face.person_id is not null and not face.is_hidden
        )
        select month::text, kind, part_1, null as part_2, null as part_3, count::int from (
          select local_month as month, 'tagged' as kind, 'yes' as part_1, count(*) as count
          from item where exists (select from tag_asset where tag_asset.asset_id = item.id) group by 1
          union all
          select local_month, 'person', person_id::text, count(*) from shown group by 1, 3
          union all
          select local_month, 'recognised', 'yes', count(distinct id) from shown group by 1
        ) counted`,
    );
    return rows.map(toValue);
  },
};

const SUMMARIES = {
  place: EXIF,
  camera: EXIF,
  rating: EXIF,
  tagged: LABELS,
  person: LABELS,
  recognised: LABELS,
};

/** Summaries that facts are read from. */
export const FACT_SUMMARIES: readonly MonthSummary[] = [EXIF, LABELS];

/** 'place': country, state, city; 'camera': make, model, lens; 'person': the id; 'tagged' and 'recognised': 'yes'. */
export type FactKind = keyof typeof SUMMARIES;
const KINDS = Object.keys(SUMMARIES) as FactKind[];

/** A value that items of a Timeline share, with their number. */
export type Fact = {
  readonly ownerId: string;
  readonly kind: FactKind;
  readonly parts: readonly [string | null, string | null, string | null];
  readonly count: number;
  /** An item at this place, which may have left since. */
  readonly example: string | null;
};

/** Returns the facts of the Timelines of the owners, in no order. */
export async function listFacts(
  reader: SummaryReader,
  owners: readonly string[],
  kinds: readonly FactKind[] = KINDS,
): Promise<Fact[]> {
  const wanted = [...new Set(kinds.map((kind) => SUMMARIES[kind]))];
  const found = await Promise.all(wanted.map((summary) => getSummaries(reader, summary, owners)));
  return found.flatMap((byOwner) =>
    [...byOwner].flatMap(([ownerId, values]) =>
      values.flatMap((value) => {
        const fact = toFact(ownerId, value);
        return kinds.includes(fact.kind) ? [fact] : [];
      }),
    ),
  );
}

const toFact = (ownerId: string, { parts, count, example }: ValueCount): Fact => {
  const [kind, first = null, second = null, third = null] = parts;
  return { ownerId, kind: kind as FactKind, parts: [first, second, third], count, example };
};
