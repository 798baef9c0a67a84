import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { preparedRows } from '../../db/prepared.ts';
import { listOf } from './counts.store.ts';
import type { OwnedMatching } from './kept.ts';
import {
  type Matching,
  matchingOf,
  ofEachOwner,
  placeColumns,
  type Reader,
  rowsOnce,
} from './matching.store.ts';

export type ValueCount = { readonly value: string | null; readonly count: number };

const KINDS = ['place', 'camera', 'rating', 'tagged', 'person', 'recognised'] as const;
export type FactKind = (typeof KINDS)[number];

/** What is known of items of whole Timelines, by the sums of the delta rows. */
export type Fact = {
  readonly ownerId: string;
  readonly kind: FactKind;
  readonly parts: readonly [string | null, string | null, string | null];
  readonly count: number;
  /** May have left since. */
  readonly example: string | null;
};
type FactRow = Omit<Fact, 'parts' | 'count'> & {
  readonly part_1: string | null;
  readonly part_2: string | null;
  readonly part_3: string | null;
  readonly count: string;
};

export async function keptFacts(
  pool: Sql,
  owners: readonly string[],
  kinds: readonly FactKind[] = KINDS,
): Promise<Fact[]> {
  const rows = await preparedRows<FactRow>(
    pool,
    sql`select owner_id as "ownerId", kind, part_1, part_2, part_3, sum(assets) as count,
        (array_agg(example) filter (where example is not null))[1] as example
      from asset_fact_count
      where owner_id = ${listOf(owners)} and kind = any(${`{${kinds.join(',')}}`}::text[])
      group by owner_id, kind, part_1, part_2, part_3 having sum(assets) > 0`,
  );
  return rows.map(({ part_1, part_2, part_3, count, ...row }) => ({
    ...row,
    parts: [part_1, part_2, part_3],
    count: Number(count),
  }));
}

export async function keptTypes(
  pool: Sql,
  { owners }: OwnedMatching,
  viewerId: string,
): Promise<{ type: string; isFavorite: boolean; count: number }[]> {
  const rows = await preparedRows<{ type: string; isFavorite: boolean; count: string }>(
    pool,
    sql`select type, is_favorite and owner_id = ${viewerId}::uuid as "isFavorite",
        sum(assets) as count
      from asset_count
      where owner_id = ${listOf(owners)} and visibility = 'timeline' and not is_locked
        and not is_trashed
      group by 1, 2 having sum(assets) > 0`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

export type TagCount = { readonly id: string; readonly label: string; readonly count: number };

/** With the tag or one below it. */
export async function keptTags(pool: Sql, ownerId: string): Promise<TagCount[]> {
  const rows = await preparedRows<{ id: string; label: string; count: string }>(
    pool,
    sql`select tag.id, tag.value as label, sum(tag_count.total) as count
      from tag_count join tag on tag.id = tag_count.tag_id
      where tag_count.owner_id = ${ownerId} and tag.owner_id = ${ownerId}
      group by tag.id having sum(tag_count.total) > 0`,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

const COLUMNS = [
  'type',
  'is_favorite',
  'country',
  'state',
  'city',
  'make',
  'model',
  'lens_model',
  'rating',
] as const;
export type Column = (typeof COLUMNS)[number];

/** In one pass over what matches. */
export async function countValues(
  reader: Reader,
  matching: Matching,
  wanted: readonly Column[],
  viewerId: string,
): Promise<Map<Column, ValueCount[]>> {
  const columns = COLUMNS.filter((column) => wanted.includes(column));
  const counted = new Map<Column, ValueCount[]>(columns.map((column) => [column, []]));
  if (columns.length === 0) return counted;
  const joinsExif = columns.some((column) => column !== 'type' && column !== 'is_favorite');
  const items = ofEachOwner(
    matching,
    (owner) => sql`select asset.type,
        (asset.is_favorite and asset.owner_id = ${viewerId}::uuid)::text as is_favorite
        ${
          joinsExif
            ? sql`, ${placeColumns(matching, owner)}, exif.make, exif.model, exif.lens_model,
              nullif(exif.rating, 0)::text as rating`
            : sql``
        }
      ${matchingOf(reader, matching, owner, { joinsExif })}`,
  );
  const lists = sql.raw(columns.join(', '));
  const rows = await rowsOnce<{ field: number; value: string | null; count: string }>(
    reader.sql,
    sql`select grouping(${lists}) as field, coalesce(${lists}) as value, count(*) as count
      from (${items}) item
      group by grouping sets (${sql.raw(columns.map((column) => `(${column})`).join(', '))})`,
  );
  for (const { field, value, count } of rows) {
    // A bit for each column that is not the one of this row; the last column has the lowest.
    const index = columns.findIndex((_, at) => (field & (1 << (columns.length - 1 - at))) === 0);
    counted.get(columns[index]!)!.push({ value, count: Number(count) });
  }
  return counted;
}

/** Tags of the viewer on what matches, each with what is tagged below it; and how many have any. */
export async function countTags(
  reader: Reader,
  matching: Matching,
  viewerId: string,
): Promise<{ tags: TagCount[]; tagged: number }> {
  const items = ofEachOwner(
    matching,
    (owner) => sql`select asset.id ${matchingOf(reader, matching, owner)}`,
  );
  const rows = await rowsOnce<{ id: string | null; label: string | null; count: string }>(
    reader.sql,
    sql`with recursive above (tag_id, ancestor_id) as (
        select id, id from tag where owner_id = ${viewerId}::uuid
        union all
        select above.tag_id, tag.parent_id from above join tag on tag.id = above.ancestor_id
        where tag.parent_id is not null
      ), link as materialized (
        select tag_asset.tag_id, item.id from (${items}) item
        join tag_asset on tag_asset.asset_id = item.id
        where tag_asset.tag_id in (select id from tag where owner_id = ${viewerId}::uuid)
      )
      select tag.id, tag.value as label, count(distinct link.id) as count
      from link join above using (tag_id) join tag on tag.id = above.ancestor_id group by tag.id
      union all
      select null, null, count(distinct id) from link`,
  );
  const tags = rows.flatMap(({ id, label, count }) =>
    id === null ? [] : [{ id, label: label ?? '', count: Number(count) }],
  );
  return { tags, tagged: Number(rows.find((row) => row.id === null)?.count ?? 0) };
}
