import { type SQL, sql } from 'drizzle-orm';
import { visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { checkedAssets } from '../../access/unscoped.ts';
import { texts, uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { NEXT_ROW_VERSION } from '../row-versions/index.ts';

const VALUE_COLUMNS = {
  id: column.uuid,
  fileName: column.text,
  /** Milliseconds since 1970. */
  takenAt: column.float,
  /** The clock where it was taken, as if it were UTC. */
  local: column.float,
  timeZone: column.text.orNull,
  latitude: column.float.orNull,
  longitude: column.float.orNull,
  city: column.text.orNull,
  state: column.text.orNull,
  country: column.text.orNull,
  rating: column.integer.orNull,
  description: column.text,
  editedFields: column.textArray,
};
export type Values = InferRow<typeof VALUE_COLUMNS>;

const toMs = (value: SQL) => sql`(extract(epoch from ${value}) * 1000)::float8`;

/**
 * A file whose date is in the future is sorted by its upload (place-in-time.ts), but that is not what a clock that
 * was wrong is corrected from.
 */
const IS_FUTURE = sql`asset.taken_at = date_trunc('milliseconds', asset.created_at)
  and exif.date_time_original > asset.taken_at
  and not 'dateTimeOriginal' = any(exif.edited_fields)`;

const SELECTED = sql`
  asset.id, asset.file_name as "fileName",
  ${toMs(sql`case when ${IS_FUTURE} then exif.date_time_original else asset.taken_at end`)} as "takenAt",
  ${toMs(sql`case when ${IS_FUTURE}
    then exif.date_time_original at time zone 'UTC' + (asset.local_taken_at - asset.taken_at at time zone 'UTC')
    else asset.local_taken_at end`)} as local,
  exif.time_zone as "timeZone", exif.latitude, exif.longitude, exif.city, exif.state, exif.country,
  exif.rating, coalesce(exif.description, '') as description,
  coalesce(exif.edited_fields, '{}') as "editedFields"`;

/** Returns the values of assets that the caller may change, in the order of capture. */
export const listValues = (db: Db, ids: readonly string[]): Promise<Values[]> =>
  queryRows(
    db,
    VALUE_COLUMNS,
    sql`
    select ${SELECTED} from ${checkedAssets} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)}) order by asset.local_taken_at, asset.id`,
  );

/** Returns the values of an asset that the session sees with its place, to copy them. */
export async function findSource(
  db: Db,
  session: Session,
  id: string,
): Promise<Values | undefined> {
  const [row] = await queryRows(
    db,
    VALUE_COLUMNS,
    sql`
    select ${SELECTED} from ${visibleAssets(db, session, 'any')}
    left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = ${id}::uuid and asset.shows_place`,
  );
  return row;
}

export const FIELDS = ['date', 'place', 'rating', 'description'] as const;
export type Field = (typeof FIELDS)[number];

type Names = { readonly asset: readonly string[]; readonly exif: readonly string[] };
const COLUMNS: Record<Field, Names> = {
  date: { asset: ['taken_at', 'local_taken_at'], exif: ['date_time_original', 'time_zone'] },
  place: { asset: [], exif: ['latitude', 'longitude', 'city', 'state', 'country'] },
  rating: { asset: [], exif: ['rating'] },
  description: { asset: [], exif: ['description'] },
};

const getColumns = (fields: readonly Field[]): Names => ({
  asset: fields.flatMap((field) => COLUMNS[field].asset),
  exif: [...fields.flatMap((field) => COLUMNS[field].exif), 'edited_fields'],
});

/** Saves what the assets of a change have now, and the `state_revision` that the change will give them. */
export async function saveFormer(
  db: Db,
  changeId: string,
  fields: readonly Field[],
  ids: readonly string[],
): Promise<void> {
  const { asset, exif } = getColumns(fields);
  const members = [
    ...asset.map((name) => sql`${name}::text, asset.${sql.identifier(name)}`),
    ...exif.map((name) => sql`${name}::text, ${selectExif(name)}`),
  ];
  await queryRows(
    db,
    sql`
    insert into metadata_change_item (change_id, asset_id, revision, former)
    select ${changeId}::uuid, asset.id, ${NEXT_ROW_VERSION},
      jsonb_build_object(${sql.join(members, sql`, `)})
    from ${checkedAssets} left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})`,
  );
}

/** An asset whose metadata nobody has read has no row. */
function selectExif(name: string): SQL {
  const value = sql`exif.${sql.identifier(name)}`;
  if (name === 'description') return sql`coalesce(${value}, '')`;
  return name === 'edited_fields' ? sql`coalesce(${value}, '{}')` : value;
}

/** New values of an asset by the names of the columns. */
export type NewValues = { readonly id: string; readonly value: Readonly<Record<string, unknown>> };

export const applyNew = (
  db: Db,
  fields: readonly Field[],
  items: readonly NewValues[],
  now: Date,
) =>
  applyValues(db, fields, now, {
    values: sql`select id as asset_id, value
      from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item (id uuid, value jsonb)`,
    ids: items.map(({ id }) => id),
  });

/** Restores the former values of these assets of a change. */
export const applyFormer = (
  db: Db,
  fields: readonly Field[],
  changeId: string,
  ids: readonly string[],
  now: Date,
) =>
  applyValues(db, fields, now, {
    values: sql`select asset_id, former as value from metadata_change_item
      where change_id = ${changeId} and asset_id = any(${uuids(ids)})`,
    ids,
  });

type Source = { readonly values: SQL; readonly ids: readonly string[] };

async function applyValues(
  db: Db,
  fields: readonly Field[],
  now: Date,
  { values, ids }: Source,
): Promise<void> {
  if (ids.length === 0) return;
  const { asset, exif } = getColumns(fields);
  const assignments = asset.map(
    (name) =>
      sql`, ${sql.identifier(name)} = (item.value ->> ${name}::text)::${sql.raw(TYPES[name] ?? '')}`,
  );
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set updated_at = ${now.toISOString()}::timestamptz,
      state_revision = ${NEXT_ROW_VERSION} ${sql.join(assignments, sql` `)}
    from (${values}) item where asset.id = item.asset_id`,
  );
  const names = exif.map((name) => sql.identifier(name));
  const columns = sql.join(names, sql`, `);
  await queryRows(
    db,
    sql`
    insert into asset_exif (asset_id, ${columns})
    select item.asset_id, ${sql.join(
      names.map((name) => sql`row.${name}`),
      sql`, `,
    )}
    from (${values}) item, jsonb_populate_record(null::asset_exif, item.value) row
    order by item.asset_id
    on conflict (asset_id) do update set ${sql.join(
      names.map((name) => sql`${name} = excluded.${name}`),
      sql`, `,
    )}`,
  );
}

const TYPES: Readonly<Record<string, string>> = {
  taken_at: 'timestamptz',
  local_taken_at: 'timestamp',
};

export const formatFields = (fields: readonly Field[]): SQL => texts(fields);
