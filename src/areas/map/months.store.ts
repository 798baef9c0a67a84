import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { joinWithAnd, queryPrepared, queryRows } from '../../db/query.ts';
import { type MarkerSearch, selectOwned, toConditions, type UserReader } from './store.ts';

/** A month in which an owner has, or had, assets. */
export type Month = {
  /** The first day of it, in local time. */
  readonly name: string;
  /** Changes with the assets of the month. */
  readonly version: string;
  /** The number of its assets, of which some may have no place. */
  readonly assets: number;
};

/**
 * Returns the months of an owner, the newest first, with the number of assets or of favorites. The owner is an array: see
 * `listMonthVersions`.
 */
export async function listMonths(db: Db, ownerId: string, ofFavorites: boolean): Promise<Month[]> {
  const rows = await queryPrepared(
    db,
    { name: column.text, version: column.text, assets: column.numeric },
    sql`select local_month::text as name, bit_xor(stamp)::text as version,
        coalesce(sum(assets) filter (where is_favorite or not ${ofFavorites}::boolean), 0) as assets
      from asset_count where owner_id = any(${uuids([ownerId])})
      group by local_month order by local_month desc`,
  );
  return rows.map((row) => ({ ...row, assets: Number(row.assets) }));
}

/** `time`: seconds since 1970. `text`: its JSON. */
export type BorderMarker = readonly [time: number, text: string];

/** The markers of a month, newest first. */
export type MonthMarkers = {
  /** Markers that may be older than some of the month after. */
  readonly newest: readonly BorderMarker[];
  /** JSON of the others, separated by commas. */
  readonly text: string;
  /** Markers that may be newer than some of the month before. */
  readonly oldest: readonly BorderMarker[];
};

const MONTH_COLUMNS = {
  name: column.text,
  newest: column.json<readonly BorderMarker[]>().orNull,
  text: column.text.orNull,
  oldest: column.json<readonly BorderMarker[]>().orNull,
};

type MonthsSearch = {
  readonly ownerId: string;
  readonly search: MarkerSearch;
  readonly months: readonly string[];
};

/** Returns the markers of an owner in these months, by the name of the month. The owner is the caller or a partner. */
export async function readMonths(
  reader: UserReader,
  { ownerId, search, months }: MonthsSearch,
): Promise<Map<string, MonthMarkers>> {
  const isWanted = joinWithAnd(
    sql`asset.owner_id = ${ownerId}::uuid`,
    sql`asset.local_month = any(${`{${months.join(',')}}`}::date[])`,
    sql`exif.latitude is not null and exif.longitude is not null`,
    toConditions(search),
  );
  const rows = await queryRows(
    reader.db,
    MONTH_COLUMNS,
    sql`select month::text as name,
        json_agg(json_build_array(time, marker)) filter (where is_newest) as newest,
        string_agg(marker, ',') filter (where not is_newest and not is_oldest) as text,
        json_agg(json_build_array(time, marker)) filter (where is_oldest) as oldest
      from (
        select asset.local_month as month, date_part('epoch', asset.taken_at) as time,
          ${MARKER} as marker, ${IS_NEWEST} as is_newest, not ${IS_NEWEST} and ${IS_OLDEST} as is_oldest
        from ${selectItems(reader, ownerId, search)} join asset_exif exif on exif.asset_id = asset.id
        where ${isWanted}
        order by asset.local_month, asset.taken_at desc, asset.id desc
      ) item group by month`,
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  return new Map(
    months.map((name) => {
      const { newest, text, oldest } = found.get(name) ?? NOTHING;
      return [name, { newest: newest ?? [], text: text ?? '', oldest: oldest ?? [] }];
    }),
  );
}

const NOTHING = { newest: null, text: null, oldest: null };

/** Timeline and archive have an index by month each, which a scope of both would not use. */
function selectItems(reader: UserReader, ownerId: string, { withArchived }: MarkerSearch): SQL {
  const timeline = selectOwned(reader, ownerId, 'timeline');
  if (!withArchived) return sql`${timeline}`;
  const archive = selectOwned(reader, ownerId, 'archive');
  return sql`(select * from ${timeline} union all select * from ${archive}) asset`;
}

/** A marker as JSON. PostgreSQL writes it at less cost than it sends columns, which this process would write. */
const MARKER = sql`'{"id":"' || asset.id || '","lat":' || exif.latitude || ',"lon":' || exif.longitude
  || ',"city":' || coalesce(to_json(exif.city)::text, 'null')
  || ',"state":' || coalesce(to_json(exif.state)::text, 'null')
  || ',"country":' || coalesce(to_json(exif.country)::text, 'null') || '}'`;

// Local time is at most 14 hours before or after UTC.
const IS_NEWEST = sql`(asset.taken_at at time zone 'utc'
  >= asset.local_month + interval '1 month' - interval '14 hours')`;
const IS_OLDEST = sql`(asset.taken_at at time zone 'utc' < asset.local_month + interval '14 hours')`;
