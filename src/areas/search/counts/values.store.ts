import { type SQL, sql } from 'drizzle-orm';
import { requireValue } from '../../../core/required.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { TagCount } from './facets.store.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  placeColumns,
  type Reader,
} from '../match/matching.store.ts';
import type { PersonCount } from '../match/people.store.ts';

export type ValueCount = { readonly value: string | null; readonly count: number };

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

export type Wanted = {
  readonly columns: readonly Column[];
  readonly tags: boolean;
  readonly people: boolean;
  /** Account whose favorites, tags and people are counted. */
  readonly viewerId: string;
};

export type Counted = {
  readonly values: ReadonlyMap<Column, readonly ValueCount[]>;
  readonly tags: readonly TagCount[];
  /** Items that have any of the tags. */
  readonly tagged: number;
  readonly people: readonly PersonCount[];
  /** Items that show any of the people. */
  readonly recognised: number;
};

const ROW_COLUMNS = {
  kind: column.text.as<'value' | 'tag' | 'tagged' | 'person' | 'recognised'>(),
  field: column.integer,
  value: column.text.orNull,
  label: column.text.orNull,
  count: column.bigint,
};

type Row = InferRow<typeof ROW_COLUMNS>;

/** Counts values, tags and people in one query, which reads the matching items once. */
export async function countValues(
  reader: Reader,
  matching: Matching,
  wanted: Wanted,
): Promise<Counted> {
  const columns = COLUMNS.filter((column) => wanted.columns.includes(column));
  const parts = [
    ...(columns.length > 0 ? [valuesPart(columns)] : []),
    ...(wanted.tags ? [TAGS_PART] : []),
    ...(wanted.people ? [PEOPLE_PART] : []),
  ];
  const rows =
    parts.length === 0
      ? []
      : await queryRows(
          reader.db,
          ROW_COLUMNS,
          sql`with recursive item as materialized (${selectItems(reader, matching, wanted)})
            ${wanted.tags ? selectTagLinks(wanted.viewerId) : sql``}
            ${wanted.people ? selectPeople(wanted.viewerId) : sql``}
            ${sql.join(parts, sql` union all `)}`,
        );
  return toCounted(rows, columns);
}

function selectItems(reader: Reader, matching: Matching, { columns, viewerId }: Wanted): SQL {
  const joinsExif = columns.some((column) => column !== 'type' && column !== 'is_favorite');
  return unionPerOwner(
    matching,
    (owner) => sql`select asset.id, asset.type,
        (asset.is_favorite and asset.owner_id = ${viewerId}::uuid)::text as is_favorite
        ${
          joinsExif
            ? sql`, ${placeColumns(matching, owner)}, exif.make, exif.model, exif.lens_model,
              nullif(exif.rating, 0)::text as rating`
            : sql``
        }
      ${selectMatching(reader, matching, owner, { joinsExif })}`,
  );
}

function valuesPart(columns: readonly Column[]): SQL {
  const lists = sql.raw(columns.join(', '));
  const sets = sql.raw(columns.map((column) => `(${column})`).join(', '));
  return sql`select 'value' as kind, grouping(${lists}) as field, coalesce(${lists}) as value,
      null::text as label, count(*) as count
    from item group by grouping sets (${sets})`;
}

/** Pairs each tag with its ancestors (`above`), and items with their tags (`link`). */
const selectTagLinks = (viewerId: string) => sql`, above (tag_id, ancestor_id) as (
    select id, id from tag where owner_id = ${viewerId}::uuid
    union all
    select above.tag_id, tag.parent_id from above join tag on tag.id = above.ancestor_id
    where tag.parent_id is not null
  ), link as materialized (
    select tag_asset.tag_id, item.id from item join tag_asset on tag_asset.asset_id = item.id
    where tag_asset.tag_id in (select id from tag where owner_id = ${viewerId}::uuid)
  )`;
const TAGS_PART = sql`
  select 'tag', 0, tag.id::text, tag.value, count(distinct link.id)
  from link join above using (tag_id) join tag on tag.id = above.ancestor_id group by tag.id
  union all
  select 'tagged', 0, null, null, count(distinct id) from link`;

const selectPeople = (viewerId: string) => sql`, shown as materialized (
    select distinct person.id as person_id, item.id
    from item join face on face.asset_id = item.id join person on person.id = face.person_id
    where person.owner_id = ${viewerId}::uuid and person.merged_into is null
      and not person.is_hidden and not face.is_hidden
  )`;
const PEOPLE_PART = sql`
  select 'person', 0, person.id::text, person.name, count
  from (select person_id, count(*) as count from shown group by person_id) counted
  join person on person.id = counted.person_id
  union all
  select 'recognised', 0, null, null, count(*) from (select 1 from shown group by id) recognised`;

function toCounted(rows: readonly Row[], columns: readonly Column[]): Counted {
  const values = new Map<Column, ValueCount[]>(columns.map((column) => [column, []]));
  const tags: TagCount[] = [];
  const people: PersonCount[] = [];
  const totals = { tagged: 0, recognised: 0 };
  for (const { kind, field, value, label, count: text } of rows) {
    const count = Number(text);
    if (kind === 'value') {
      // A bit for each column that is not the one of this row; the last column has the lowest.
      const own = columns.find((_, n) => (field & (1 << (columns.length - 1 - n))) === 0);
      if (own) values.get(own)?.push({ value, count });
    } else if (kind === 'tagged' || kind === 'recognised') totals[kind] = count;
    else {
      const id = requireValue(value, 'id of a tag or person');
      if (kind === 'tag') tags.push({ id, label: label ?? '', count });
      else people.push({ id, name: label ?? '', count });
    }
  }
  return { values, tags, people, ...totals };
}
