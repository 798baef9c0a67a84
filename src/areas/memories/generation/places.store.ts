import { type SQL, sql } from 'drizzle-orm';
import { ownerAssets } from '../../../access/unscoped.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import { getSummaries, type MonthSummary, type SummaryReader } from '../../assets/index.ts';
import { texts } from '../../../db/arrays.ts';
import type { DayPlace } from './journeys.ts';

/** Cells of a tenth of a degree, row by row from the south. */
const CELL = sql`(floor((exif.latitude + 90) * 10) * 3600 + floor((exif.longitude + 180) * 10))::int`;

/** Pictures of a day, by chance as ids are random, of which as many as LOCATED have to have a place. */
const SAMPLE = 120;
const LOCATED = 24;

/** For each local day the cell with most of its pictures, and how many have a place, 24 at most. */
const PLACES: MonthSummary<readonly [day: string, cell: string]> = {
  kind: 'places',
  format: 1,
  async count(db, ownerId, months) {
    const isCounted = months ? sql`local_month = any(${texts(months)}::date[])` : sql`true`;
    const rows = await queryPrepared(
      db,
      { month: column.text, day: column.text, cell: column.integer, count: column.integer },
      sql`
      select month.first::text as month, day.at::date::text as day,
        mode() within group (order by located.cell) as cell, count(*)::int as count
      from (select distinct local_month as first from asset_count
        where owner_id = ${ownerId} and ${isCounted}) month
      cross join lateral generate_series(month.first::timestamp,
        month.first + interval '1 month' - interval '1 day', '1 day') day (at)
      cross join lateral (
        select ${CELL} as cell from (
          select asset.id from ${ownerAssets}
          where asset.owner_id = ${ownerId} and asset.visibility = 'timeline'
            and asset.locked_at is null and asset.trashed_at is null
            and asset.local_month = month.first and asset.local_taken_at >= day.at
            and asset.local_taken_at < day.at + interval '1 day'
          order by asset.id limit ${sql.raw(String(SAMPLE))}) sample
        join asset_exif exif on exif.asset_id = sample.id
        where exif.latitude is not null and exif.longitude is not null
        limit ${sql.raw(String(LOCATED))}) located
      group by month.first, day.at`,
    );
    return rows.map(({ month, day, cell, count }) => ({
      month,
      parts: [day, String(cell)],
      count,
      example: null,
    }));
  },
};

/** Returns where the account was on each day with places, in the order of the days. */
export async function listDayPlaces(reader: SummaryReader, ownerId: string): Promise<DayPlace[]> {
  const days = (await getSummaries(reader, PLACES, [ownerId])).get(ownerId) ?? [];
  return days
    .map(({ parts: [day, cell], count }) => ({
      day,
      latitude: Math.floor(Number(cell) / 3600) / 10 - 90 + 0.05,
      longitude: (Number(cell) % 3600) / 10 - 180 + 0.05,
      count,
    }))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** Degrees from home within which a picture of a day away was still taken there. */
const AT_HOME = 0.3;

/** Condition: taken on the days of the journey that is the subject, as JSON. */
export const IS_OF_JOURNEY: SQL = sql`(
  asset.local_month >= date_trunc('month', (given.subject::jsonb ->> 'from')::date)::date
  and asset.local_month <= (given.subject::jsonb ->> 'to')::date
  and asset.local_taken_at >= (given.subject::jsonb ->> 'from')::date
  and asset.local_taken_at < (given.subject::jsonb ->> 'to')::date + 1)`;

/** Condition: not taken at the home of that journey. */
export const IS_AWAY: SQL = sql`(exif.latitude is null or exif.longitude is null
  or abs(exif.latitude - (given.subject::jsonb ->> 'latitude')::float8) > ${AT_HOME}::float8
  or abs(exif.longitude - (given.subject::jsonb ->> 'longitude')::float8) > ${AT_HOME}::float8)`;
