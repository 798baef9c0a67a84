import { and, or, type SQL, sql } from 'drizzle-orm';
import { joinWithAnd, queryPrepared, queryRows } from '../../db/query.ts';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import { isBehind, type Position } from '../../db/keyset.ts';
import { type Cell, type CellRange, toCountedLevel, getBlockBounds } from './cells.ts';
import type { Sources } from './domain.ts';
import {
  type AlbumSearch,
  toConditions,
  type MarkerSearch,
  type AlbumItems,
  selectAlbumItems,
  selectOthersInAlbums,
  type UserReader,
} from './store.ts';
import { uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';

const CLUSTER_COLUMNS = {
  x: column.integer,
  y: column.integer,
  count: column.integer,
  id: column.uuid.orNull,
  lat: column.float.orNull,
  lon: column.float.orNull,
  thumbhash: column.text.orNull,
};

/** A cell with items. */
export type Cluster = InferRow<typeof CLUSTER_COLUMNS>;

/** Precomputed examples that are tried before the cell is searched for a picture. */
const MAX_EXAMPLES = 16;
/**
 * Below this number of items the spatial index is used; above it, a scan by time fills a page faster.
 */
const MAX_INDEX_ITEMS = 10_000;

type OwnedSources = Pick<Sources, 'partners' | 'search'>;

const toScope = ({ search }: OwnedSources) => (search.withArchived ? 'library' : 'timeline');

/** The caller's own items and the timelines of partners. */
const selectItems = ({ db, session }: UserReader, owned: OwnedSources) =>
  owned.partners.length === 0
    ? ownAssets(db, session, toScope(owned))
    : visibleAssets(db, session, toScope(owned), { sharers: owned.partners });

/** Counts clusters of unfiltered scopes from precomputed counts. */
export async function listCountedClusters(
  reader: UserReader,
  owned: OwnedSources,
  range: CellRange,
): Promise<Cluster[]> {
  const { level } = range;
  const counted = toCountedLevel(level);
  const shift = sql.raw(String(counted - level));
  return queryPrepared(
    reader.db,
    CLUSTER_COLUMNS,
    sql`
    with cell as (
      select x, y, sum(assets)::int as count,
        (array_agg(example) filter (where example is not null and assets > 0))[1:${sql.raw(String(MAX_EXAMPLES))}]
          as examples
      from (
        select x >> ${shift} as x, y >> ${shift} as y, ${visibleCount(reader, owned)} as assets, example
        from asset_cell_count
        where level = ${counted} and ${isOwned(reader, owned)}
          and ${isWithin(range, counted - level)}
        ${subtractSuppressed(reader, owned, range)}
      ) counted group by x, y having sum(assets) > 0
    )
    select cell.x, cell.y, cell.count, coalesce(known.id, found.id) as id,
      coalesce(known.lat, found.lat) as lat, coalesce(known.lon, found.lon) as lon,
      coalesce(known.thumbhash, found.thumbhash) as thumbhash
    from cell
    left join lateral (
      select ${PICTURE} from ${selectItems(reader, owned)}
      join asset_exif exif on exif.asset_id = asset.id
      where asset.id = any(cell.examples) and map_x(exif.longitude, ${level}) = cell.x
        and map_y(exif.latitude, ${level}) = cell.y
      limit 1
    ) known on true
    left join lateral (
      select ${PICTURE} from asset_exif exif
      join ${selectItems(reader, owned)} on asset.id = exif.asset_id
      where known.id is null and point(exif.longitude, exif.latitude) <@ map_box(cell.x, cell.y, ${level})
        and exif.latitude is not null and exif.longitude is not null
        and map_x(exif.longitude, ${level}) = cell.x and map_y(exif.latitude, ${level}) = cell.y
      limit 1
    ) found on true`,
  );
}

const PICTURE = sql`asset.id, exif.latitude as lat, exif.longitude as lon,
  encode(asset.thumbhash, 'base64') as thumbhash`;

const isOwned = ({ session }: UserReader, { partners }: OwnedSources): SQL =>
  partners.length === 0
    ? sql`owner_id = ${session.userId}::uuid`
    : sql`owner_id = any(${uuids([session.userId, ...partners])})`;

/** Archived items count for the caller only. */
function visibleCount({ session }: UserReader, { partners, search }: OwnedSources): SQL {
  if (!search.withArchived) return sql`timeline`;
  if (partners.length === 0) return sql`timeline + archived`;
  return sql`timeline + case owner_id when ${session.userId}::uuid then archived else 0 end`;
}

/** Converts the range to a level `deeper` levels below. */
function isWithin({ xs, ys }: CellRange, deeper: number): SQL {
  const [first, last] = [
    (at: number) => at * 2 ** deeper,
    (at: number) => (at + 1) * 2 ** deeper - 1,
  ];
  return joinWithAnd(
    sql`y between ${first(ys[0])} and ${last(ys[1])}`,
    or(...xs.map(([from, to]) => sql`x between ${first(from)} and ${last(to)}`)),
  );
}

/** Subtracts the items that the user's content rules suppress. */
function subtractSuppressed(
  { db, session }: UserReader,
  owned: OwnedSources,
  { level }: CellRange,
): SQL {
  if (session.contentRules.length === 0) return sql``;
  const suppressed = visibleAssets(db, session, toScope(owned), {
    sharers: owned.partners,
    suppressed: 'only',
  });
  return sql`union all
    select map_x(exif.longitude, ${level}), map_y(exif.latitude, ${level}), -1, null
    from ${suppressed} join asset_exif exif on exif.asset_id = asset.id
    where exif.latitude is not null and exif.longitude is not null`;
}

/** Counts clusters from rows, for filters that precomputed counts do not cover. */
export const listScannedClusters = (reader: UserReader, owned: OwnedSources, range: CellRange) =>
  countRows(reader, selectItems(reader, owned), { range, owned, search: owned.search });

/** Counts clusters of the Timelines of partners from rows. */
export function listPartnerClusters(
  reader: UserReader,
  { partners, search }: OwnedSources,
  range: CellRange,
): Promise<Cluster[]> {
  const visible = visibleAssets(reader.db, reader.session, 'timeline', { sharers: partners });
  const base = sql`(
    select asset.* from ${visible} where asset.owner_id = any(${uuids(partners)})) asset`;
  return countRows(reader, base, { range, search });
}

/** Counts clusters of other users' items in albums. */
export const listAlbumClusters = (reader: UserReader, search: AlbumSearch, range: CellRange) =>
  countRows(reader, selectOthersInAlbums(reader, search), { range, search });

/** Counts clusters of the items that an album shows. Does not check access to the album. */
export const listClustersOfAlbum = (reader: UserReader, items: AlbumItems, range: CellRange) =>
  countRows(reader, selectAlbumItems(reader, items), { range, search: items.search });

type Base = SQL | ReturnType<typeof selectItems>;
type ClusterQuery = {
  readonly range: CellRange;
  readonly search: MarkerSearch;
  readonly owned?: OwnedSources;
};

async function countRows(
  reader: UserReader,
  base: Base,
  { range, search, owned }: ClusterQuery,
): Promise<Cluster[]> {
  const { level } = range;
  const isFew =
    owned !== undefined && (await estimateCount(reader, owned, range)) < MAX_INDEX_ITEMS;
  return queryPrepared(
    reader.db,
    CLUSTER_COLUMNS,
    sql`
    select x, y, count(*)::int as count, (array_agg(id))[1] as id, (array_agg(lat))[1] as lat,
      (array_agg(lon))[1] as lon, encode((array_agg(thumbhash))[1], 'base64') as thumbhash
    from (
      select map_x(exif.longitude, ${level}) as x, map_y(exif.latitude, ${level}) as y, asset.id,
        exif.latitude as lat, exif.longitude as lon, asset.thumbhash
      from ${base} join asset_exif exif on exif.asset_id = asset.id
      where ${and(toConditions(search), isOnMap(range, isFew))}
    ) item group by x, y`,
  );
}

/** Lists the items of a cell after the cursor `after`, newest first. */
export async function listItemsInCell(
  reader: UserReader,
  sources: Sources | AlbumItems,
  { cell, after, limit }: { cell: Cell; after: Position | undefined; limit: number },
): Promise<Position[]> {
  const range: CellRange = { level: cell.level, xs: [[cell.x, cell.x]], ys: [cell.y, cell.y] };
  const isOfAlbum = 'albumId' in sources;
  const isFew = !isOfAlbum && (await estimateCount(reader, sources, range)) < MAX_INDEX_ITEMS;
  const conditions = and(
    toConditions(sources.search),
    isOnMap(range, isFew),
    after &&
      isBehind({
        columns: [sql`asset.taken_at`, sql`asset.id`],
        values: [sql`${after.value}::timestamptz`, sql`${after.id}::uuid`],
        direction: 'desc',
      }),
  );
  const selectPart = (base: Base) => sql`(
    select asset.id, asset.taken_at from ${base} join asset_exif exif on exif.asset_id = asset.id
    where ${conditions} order by asset.taken_at desc, asset.id desc limit ${limit})`;
  const parts = [
    selectPart(isOfAlbum ? selectAlbumItems(reader, sources) : selectItems(reader, sources)),
  ];
  if (!isOfAlbum && sources.albums)
    parts.push(selectPart(selectOthersInAlbums(reader, sources.albums)));
  return queryRows(
    reader.db,
    { value: column.text, id: column.uuid },
    sql`
    select id, taken_at::text as value from (${sql.join(parts, sql` union all `)}) item
    order by taken_at desc, id desc limit ${limit}`,
  );
}

/**
 * Restricts to the cells in degrees, for which the planner has statistics. `isFew` uses the spatial
 * index, for which the planner always expects few rows.
 */
function isOnMap({ level, xs, ys }: CellRange, isFew: boolean): SQL {
  const parts = xs.map(([from, to]) => {
    const { west, south, east, north } = getBlockBounds({ level, x: [from, to], y: ys });
    const corners = sql`box(point(${west}, ${south}), point(${east}, ${north}))`;
    return and(
      sql`exif.longitude >= ${west} and exif.longitude < ${east}
        and exif.latitude > ${south} and exif.latitude <= ${north}`,
      isFew ? sql`point(exif.longitude, exif.latitude) <@ ${corners}` : undefined,
    );
  });
  return joinWithAnd(sql`exif.latitude is not null and exif.longitude is not null`, or(...parts));
}

/** Returns an estimate of the items in the range, without filters. */
async function estimateCount(
  reader: UserReader,
  owned: OwnedSources,
  range: CellRange,
): Promise<number> {
  const counted = toCountedLevel(range.level);
  const [row] = await queryPrepared(
    reader.db,
    { count: column.integer },
    sql`
    select coalesce(sum(${visibleCount(reader, owned)}), 0)::int as count from asset_cell_count
    where level = ${counted} and ${isOwned(reader, owned)}
      and ${isWithin(range, counted - range.level)}`,
  );
  return row?.count ?? 0;
}
