import { and, or, type SQL, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Position } from '../../core/page-cursor.ts';
import { type Cell, type CellRange, countedLevelOf, edgesOf } from './cells.ts';
import type { Sources } from './domain.ts';
import {
  type AlbumSearch,
  conditionsOf,
  type MarkerSearch,
  ofOthersInAlbums,
  type UserReader,
} from './store.ts';
import { uuids } from '../../db/arrays.ts';

/** A cell with at least one item. */
export type Cluster = {
  readonly x: number;
  readonly y: number;
  readonly count: number;
  readonly id: string | null;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly thumbhash: string | null;
};

/** So many pictures are tried to stand for a cell before it is searched. */
const EXAMPLES = 16;
/** Below this, the index by position finds what a cell holds; above, walking by time fills a page. */
const FEW = 10_000;

type Owned = Pick<Sources, 'partners' | 'search'>;

const lensOf = ({ search }: Owned) => (search.withArchived ? 'library' : 'timeline');

/** The own shelves, and the Timelines of the partners. */
const itemsOf = ({ db, session }: UserReader, owned: Owned) =>
  owned.partners.length === 0
    ? ownAssets(db, session, lensOf(owned))
    : visibleAssets(db, session, lensOf(owned), { sharers: owned.partners });

/** By what is counted as pictures come and go: whole shelves, whatever their size. */
export async function countedClusters(
  reader: UserReader,
  owned: Owned,
  range: CellRange,
): Promise<Cluster[]> {
  const { level } = range;
  const counted = countedLevelOf(level);
  const shift = sql.raw(String(counted - level));
  const rows = await reader.db.execute<Cluster>(sql`
    with cell as (
      select x, y, sum(assets)::int as count,
        (array_agg(example) filter (where example is not null and assets > 0))[1:${sql.raw(String(EXAMPLES))}]
          as examples
      from (
        select x >> ${shift} as x, y >> ${shift} as y, ${shownOf(reader, owned)} as assets, example
        from asset_cell_count
        where level = ${counted} and ${isOwned(reader, owned)}
          and ${isWithin(range, counted - level)}
        ${suppressedIn(reader, owned, range)}
      ) counted group by x, y having sum(assets) > 0
    )
    select cell.x, cell.y, cell.count, coalesce(known.id, found.id) as id,
      coalesce(known.lat, found.lat) as lat, coalesce(known.lon, found.lon) as lon,
      coalesce(known.thumbhash, found.thumbhash) as thumbhash
    from cell
    left join lateral (
      select ${PICTURE} from ${itemsOf(reader, owned)}
      join asset_exif exif on exif.asset_id = asset.id
      where asset.id = any(cell.examples) and map_x(exif.longitude, ${level}) = cell.x
        and map_y(exif.latitude, ${level}) = cell.y
      limit 1
    ) known on true
    left join lateral (
      select ${PICTURE} from asset_exif exif
      join ${itemsOf(reader, owned)} on asset.id = exif.asset_id
      where known.id is null and point(exif.longitude, exif.latitude) <@ map_box(cell.x, cell.y, ${level})
        and exif.latitude is not null and exif.longitude is not null
        and map_x(exif.longitude, ${level}) = cell.x and map_y(exif.latitude, ${level}) = cell.y
      limit 1
    ) found on true`);
  return [...rows];
}

const PICTURE = sql`asset.id, exif.latitude as lat, exif.longitude as lon,
  encode(asset.thumbhash, 'base64') as thumbhash`;

const isOwned = ({ session }: UserReader, { partners }: Owned): SQL =>
  partners.length === 0
    ? sql`owner_id = ${session.userId}::uuid`
    : sql`owner_id = any(${uuids([session.userId, ...partners])})`;

/** Of others the Timeline only. */
function shownOf({ session }: UserReader, { partners, search }: Owned): SQL {
  if (!search.withArchived) return sql`timeline`;
  if (partners.length === 0) return sql`timeline + archived`;
  return sql`timeline + case owner_id when ${session.userId}::uuid then archived else 0 end`;
}

/** `deeper` levels below the range. */
function isWithin({ xs, ys }: CellRange, deeper: number): SQL {
  const [first, last] = [
    (at: number) => at * 2 ** deeper,
    (at: number) => (at + 1) * 2 ** deeper - 1,
  ];
  return and(
    or(...xs.map(([from, to]) => sql`x between ${first(from)} and ${last(to)}`)),
    sql`y between ${first(ys[0])} and ${last(ys[1])}`,
  )!;
}

/** What the rules of the account leave out of its listings is counted, and taken off again. */
function suppressedIn({ db, session }: UserReader, owned: Owned, { level }: CellRange): SQL {
  if (session.contentRules.length === 0) return sql``;
  const suppressed = visibleAssets(db, session, lensOf(owned), {
    sharers: owned.partners,
    suppressed: 'only',
  });
  return sql`union all
    select map_x(exif.longitude, ${level}), map_y(exif.latitude, ${level}), -1, null
    from ${suppressed} join asset_exif exif on exif.asset_id = asset.id
    where exif.latitude is not null and exif.longitude is not null`;
}

/** By the rows themselves, where more is asked for than is counted. */
export const scannedClusters = (reader: UserReader, owned: Owned, range: CellRange) =>
  countRows(reader, itemsOf(reader, owned), { range, owned, search: owned.search });

/** Of what others have put into albums. */
export const albumClusters = (reader: UserReader, search: AlbumSearch, range: CellRange) =>
  countRows(reader, ofOthersInAlbums(reader, search), { range, search });

type Base = SQL | ReturnType<typeof itemsOf>;
type Asked = { readonly range: CellRange; readonly search: MarkerSearch; readonly owned?: Owned };

async function countRows(
  reader: UserReader,
  base: Base,
  { range, search, owned }: Asked,
): Promise<Cluster[]> {
  const { level } = range;
  const isFew = owned !== undefined && (await countIn(reader, owned, range)) < FEW;
  const rows = await reader.db.execute<Cluster>(sql`
    select x, y, count(*)::int as count, (array_agg(id))[1] as id, (array_agg(lat))[1] as lat,
      (array_agg(lon))[1] as lon, encode((array_agg(thumbhash))[1], 'base64') as thumbhash
    from (
      select map_x(exif.longitude, ${level}) as x, map_y(exif.latitude, ${level}) as y, asset.id,
        exif.latitude as lat, exif.longitude as lon, asset.thumbhash
      from ${base} join asset_exif exif on exif.asset_id = asset.id
      where ${and(conditionsOf(search), isOnMap(range, isFew))}
    ) item group by x, y`);
  return [...rows];
}

/** Newest first, `after` excluded. */
export async function itemsInCell(
  reader: UserReader,
  sources: Sources,
  { cell, after, limit }: { cell: Cell; after: Position | undefined; limit: number },
): Promise<Position[]> {
  const range: CellRange = { level: cell.level, xs: [[cell.x, cell.x]], ys: [cell.y, cell.y] };
  const isFew = (await countIn(reader, sources, range)) < FEW;
  const conditions = and(
    conditionsOf(sources.search),
    isOnMap(range, isFew),
    after && sql`(asset.taken_at, asset.id) < (${after.takenAt}::timestamptz, ${after.id}::uuid)`,
  );
  const partOf = (base: Base) => sql`(
    select asset.id, asset.taken_at from ${base} join asset_exif exif on exif.asset_id = asset.id
    where ${conditions} order by asset.taken_at desc, asset.id desc limit ${limit})`;
  const parts = [partOf(itemsOf(reader, sources))];
  if (sources.albums) parts.push(partOf(ofOthersInAlbums(reader, sources.albums)));
  const rows = await reader.db.execute<Position>(sql`
    select id, taken_at::text as "takenAt" from (${sql.join(parts, sql` union all `)}) item
    order by taken_at desc, id desc limit ${limit}`);
  return [...rows];
}

/**
 * Exactly the cells, in degrees: how many there are in them is what the planner knows about. `isFew`
 * uses the index by position, of which it thinks that it always finds few.
 */
function isOnMap({ level, xs, ys }: CellRange, isFew: boolean): SQL {
  const parts = xs.map(([from, to]) => {
    const { west, south, east, north } = edgesOf({ level, x: [from, to], y: ys });
    const corners = sql`box(point(${west}, ${south}), point(${east}, ${north}))`;
    return and(
      sql`exif.longitude >= ${west} and exif.longitude < ${east}
        and exif.latitude > ${south} and exif.latitude <= ${north}`,
      isFew ? sql`point(exif.longitude, exif.latitude) <@ ${corners}` : undefined,
    );
  });
  return and(sql`exif.latitude is not null and exif.longitude is not null`, or(...parts))!;
}

/** About so many, whatever else is asked for. */
async function countIn(reader: UserReader, owned: Owned, range: CellRange): Promise<number> {
  const counted = countedLevelOf(range.level);
  const [row] = await reader.db.execute<{ count: number }>(sql`
    select coalesce(sum(${shownOf(reader, owned)}), 0)::int as count from asset_cell_count
    where level = ${counted} and ${isOwned(reader, owned)}
      and ${isWithin(range, counted - range.level)}`);
  return row?.count ?? 0;
}
