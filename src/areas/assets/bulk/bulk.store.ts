import { unscopedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { NEXT_ROW_VERSION } from '../row-versions/row-versions.store.ts';
import type { Db } from '../../../db/client.ts';
import type { BulkUpdate } from './bulk.schemas.ts';
import type { Clock, DateChange, NamedZone } from './date-change.ts';
import { uuids } from '../../../db/arrays.ts';

/** Whether the database reads this name of a zone as its own. */
export async function knowsZone(db: Db, zone: string): Promise<boolean> {
  try {
    await db.execute(sql`select now() at time zone ${zone}`);
    return true;
  } catch {
    return false;
  }
}

export type AssetsChange = {
  readonly isFavorite: boolean | undefined;
  readonly dates: DateChange | undefined;
  readonly now: Date;
};

/** Always moves `updated_at`: that is what makes a new version of the months they are in. */
export async function updateAssets(
  db: Db,
  ids: readonly string[],
  { isFavorite, dates, now }: AssetsChange,
): Promise<void> {
  const favorite = isFavorite === undefined ? sql`` : sql`, is_favorite = ${isFavorite}`;
  await db.execute(sql`
    update ${unscopedAssets} set updated_at = ${now.toISOString()}::timestamptz,
      state_revision = ${NEXT_ROW_VERSION} ${favorite} ${setTaken(dates)}
    where asset.id = any(${uuids(ids)})`);
}

function setTaken(dates: DateChange | undefined): SQL {
  if (!dates) return sql``;
  if (dates.kind === 'fixed') {
    const { instant, local } = valuesOf(dates.clock);
    return sql`, taken_at = ${instant}, local_taken_at = ${local}`;
  }
  const by = sql`make_interval(mins => ${dates.minutes}::int)`;
  const local = dates.zone
    ? clockThere(sql`taken_at + ${by}`, dates.zone)
    : sql`local_taken_at + ${by}`;
  return sql`, taken_at = taken_at + ${by}, local_taken_at = ${local}`;
}

const valuesOf = ({ instant, local }: Clock) => ({
  instant: sql`${instant.toISOString()}::timestamptz`,
  local: sql`${local}::timestamp`,
});

/** By the offset where it is always the same: POSIX counts those the other way round. */
const clockThere = (instant: SQL, { name, offsetMinutes }: NamedZone): SQL =>
  offsetMinutes === undefined
    ? sql`(${instant}) at time zone ${name}`
    : sql`(${instant}) at time zone 'utc' + make_interval(mins => ${offsetMinutes}::int)`;

/** Dates that clients cannot read any more. */
export async function hasStrangeDates(db: Db, ids: readonly string[]): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from ${unscopedAssets} where id = any(${uuids(ids)})
      and not (local_taken_at >= '0001-01-02' and local_taken_at < '9999-12-31') limit 1`);
  return rows.length > 0;
}

type Written = 'description' | 'rating' | 'latitude' | 'longitude';
export type ExifChange = { readonly [Name in Written]: BulkUpdate[Name] | undefined } & {
  /** The assets have new dates: what was read from the files follows. */
  readonly isDated: boolean;
  readonly zone: string | undefined;
};

/** What is set joins the fields that reading the files again leaves alone. */
export async function updateExif(
  db: Db,
  ids: readonly string[],
  change: ExifChange,
): Promise<void> {
  const columns: [column: string, value: SQL, field?: string][] = [];
  const { description, rating, latitude, longitude, isDated, zone } = change;
  if (description !== undefined) columns.push(['description', sql`${description}`, 'description']);
  if (rating !== undefined) columns.push(['rating', sql`${rating}::smallint`, 'rating']);
  if (latitude !== undefined) {
    // The place follows when the job has looked the new position up.
    const nowhere = ['city', 'state', 'country'].map((name): [string, SQL] => [name, sql`null`]);
    columns.push(['latitude', sql`${latitude}::float8`, 'latitude'], ...nowhere);
  }
  if (longitude !== undefined) {
    columns.push(['longitude', sql`${longitude}::float8`, 'longitude']);
  }
  if (isDated) columns.push(['date_time_original', sql`asset.taken_at`, 'dateTimeOriginal']);
  if (zone !== undefined) columns.push(['time_zone', sql`${zone}`]);
  if (columns.length === 0) return;

  const names = columns.map(([name]) => sql.identifier(name));
  const edited = `{${columns.flatMap(([, , field]) => field ?? []).join(',')}}`;
  const sets = names.map((name) => sql`${name} = excluded.${name}`);
  await db.execute(sql`
    insert into asset_exif as exif (asset_id, ${sql.join(names, sql`, `)}, edited_fields)
    select asset.id, ${sql.join(
      columns.map(([, value]) => value),
      sql`, `,
    )}, ${edited}::text[]
    from ${unscopedAssets} where asset.id = any(${uuids(ids)}) order by asset.id
    on conflict (asset_id) do update set ${sql.join(sets, sql`, `)}, edited_fields = array(
      select distinct unnest(exif.edited_fields || excluded.edited_fields) order by 1)`);
}
