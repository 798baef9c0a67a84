import { checkedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { NEXT_ROW_VERSION } from '../../row-versions/index.ts';
import type { Db } from '../../../db/client.ts';
import type { BulkUpdate } from './bulk.schemas.ts';
import type { PlaceColumns } from '../exif/place.ts';
import type { CaptureTime, DateChange, NamedZone } from './date-change.ts';
import { uuids } from '../../../db/arrays.ts';
import { getSqlState } from '../../../db/errors.ts';
import { queryRows } from '../../../db/query.ts';

/** Returns whether PostgreSQL knows this time zone. */
export async function isKnownZone(db: Db, zone: string): Promise<boolean> {
  try {
    await queryRows(db, sql`select now() at time zone ${zone}`);
    return true;
  } catch (error) {
    if (getSqlState(error) !== INVALID_VALUE) throw error;
    return false;
  }
}

/** SQLSTATE of a parameter that is not valid. */
const INVALID_VALUE = '22023';

export type AssetsChange = {
  readonly isFavorite: boolean | undefined;
  readonly dates: DateChange | undefined;
  readonly now: Date;
};

/** Always changes `updated_at`, which gives the months of the assets a new version. */
export async function updateAssets(
  db: Db,
  ids: readonly string[],
  { isFavorite, dates, now }: AssetsChange,
): Promise<void> {
  const favorite = isFavorite === undefined ? sql`` : sql`, is_favorite = ${isFavorite}`;
  await queryRows(
    db,
    sql`
    update ${checkedAssets} set updated_at = ${now.toISOString()}::timestamptz,
      state_revision = ${NEXT_ROW_VERSION} ${favorite} ${toTakenAtAssignments(dates)}
    where asset.id = any(${uuids(ids)})`,
  );
}

function toTakenAtAssignments(dates: DateChange | undefined): SQL {
  if (!dates) return sql``;
  if (dates.kind === 'fixed') {
    const { instant, local } = toSqlValues(dates.clock);
    return sql`, taken_at = ${instant}, local_taken_at = ${local}`;
  }
  const by = sql`make_interval(mins => ${dates.minutes}::int)`;
  const takenAt = sql`coalesce(${FUTURE.takenAt}, taken_at) + ${by}`;
  const local = dates.zone
    ? toLocalTime(takenAt, dates.zone)
    : sql`coalesce(${FUTURE.localTakenAt}, local_taken_at) + ${by}`;
  return sql`, taken_at = ${takenAt}, local_taken_at = ${local}`;
}

/**
 * The date of a file that is in the future, null for others: the asset is sorted by its upload (place-in-time.ts), but
 * that is not what a clock that was wrong is corrected from. POSIX counts zones with an offset the other way round.
 */
const selectFuture = (value: SQL) => sql`(
  select ${value} from asset_exif exif where exif.asset_id = asset.id
    and asset.taken_at = date_trunc('milliseconds', asset.created_at)
    and exif.date_time_original > asset.taken_at
    and not 'dateTimeOriginal' = any(exif.edited_fields))`;
const FUTURE = {
  takenAt: selectFuture(sql`exif.date_time_original`),
  localTakenAt: selectFuture(sql`exif.date_time_original at time zone
    case when exif.time_zone like 'UTC%' then translate(exif.time_zone, '+-', '-+')
      else coalesce(exif.time_zone, 'UTC') end`),
};

const toSqlValues = ({ instant, local }: CaptureTime) => ({
  instant: sql`${instant.toISOString()}::timestamptz`,
  local: sql`${local}::timestamp`,
});

/**
 * Uses the offset of a fixed-offset zone: PostgreSQL reads 'UTC+2' by POSIX, with the sign inverted.
 */
const toLocalTime = (instant: SQL, { name, offsetMinutes }: NamedZone): SQL =>
  offsetMinutes === undefined
    ? sql`(${instant}) at time zone ${name}`
    : sql`(${instant}) at time zone 'utc' + make_interval(mins => ${offsetMinutes}::int)`;

/** Returns whether a date is outside the years 1 to 9999, which clients cannot parse. */
export async function hasUnrepresentableDates(db: Db, ids: readonly string[]): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select 1 from ${checkedAssets} where id = any(${uuids(ids)})
      and not (local_taken_at >= '0001-01-02' and local_taken_at < '9999-12-31') limit 1`,
  );
  return rows.length > 0;
}

type WrittenField = 'description' | 'rating' | 'latitude' | 'longitude';
export type ExifChange = { readonly [Name in WrittenField]: BulkUpdate[Name] | undefined } & {
  /** The capture dates changed: `date_time_original` follows. */
  readonly isDated: boolean;
  readonly zone: string | undefined;
  /** That of a new position. */
  readonly place: PlaceColumns;
};

/**
 * Adds the changed fields to `edited_fields`, which a new extraction of metadata does not overwrite.
 */
export async function updateExif(
  db: Db,
  ids: readonly string[],
  change: ExifChange,
): Promise<void> {
  const columns: [column: string, value: SQL, field?: string][] = [];
  const { description, rating, latitude, longitude, isDated, zone, place } = change;
  if (description !== undefined) columns.push(['description', sql`${description}`, 'description']);
  if (rating !== undefined) columns.push(['rating', sql`${rating}::smallint`, 'rating']);
  if (latitude !== undefined) {
    const names = Object.entries(place).map(([name, value]): [string, SQL] => [
      name,
      sql`${value}`,
    ]);
    columns.push(['latitude', sql`${latitude}::float8`, 'latitude'], ...names);
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
  await queryRows(
    db,
    sql`
    insert into asset_exif as exif (asset_id, ${sql.join(names, sql`, `)}, edited_fields)
    select asset.id, ${sql.join(
      columns.map(([, value]) => value),
      sql`, `,
    )}, ${edited}::text[]
    from ${checkedAssets} where asset.id = any(${uuids(ids)}) order by asset.id
    on conflict (asset_id) do update set ${sql.join(sets, sql`, `)}, edited_fields = array(
      select distinct unnest(exif.edited_fields || excluded.edited_fields) order by 1)`,
  );
}
