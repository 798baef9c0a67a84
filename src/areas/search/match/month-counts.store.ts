import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { joinWithAnd, queryPrepared } from '../../../db/query.ts';
import type { PrecomputedFilter, OwnedMatching } from './precomputed-counts.ts';

export type Bucket = { readonly date: string; readonly count: number };

/** Returns the condition on asset_count that selects the matching; only favorites of `viewerId` are favorites. */
export function toCountCondition(
  { scope, owners }: OwnedMatching,
  { type, isFavorite }: PrecomputedFilter,
  viewerId: string,
): SQL {
  const isInScope = {
    timeline: sql`visibility = 'timeline' and not is_locked`,
    archive: sql`visibility = 'archive' and not is_locked`,
    // Only the Timelines of partners.
    library: sql`visibility <> 'hidden' and not is_locked
      and (visibility = 'timeline' or owner_id = ${viewerId}::uuid)`,
    hidden: sql`visibility = 'hidden' and not is_locked`,
    locked: sql`visibility <> 'hidden' and is_locked`,
    mixed: sql`false`,
  }[scope];
  const isOwnFavorite = sql`(is_favorite and owner_id = ${viewerId}::uuid)`;
  return joinWithAnd(
    sql`owner_id = any(${uuids(owners)}) and not is_trashed`,
    isInScope,
    type === undefined ? undefined : sql`type = ${type}`,
    isFavorite === undefined ? undefined : isFavorite ? isOwnFavorite : sql`not ${isOwnFavorite}`,
  );
}

const FORMATS = { month: 'YYYY-MM', year: 'YYYY' } as const;
/** Returns the name of the day, month or year of a date. */
export const formatDate = (column: SQL, granularity: 'day' | 'month' | 'year') =>
  granularity === 'day'
    ? sql`${column}::text`
    : sql`to_char(${column}::timestamp, ${sql.raw(`'${FORMATS[granularity]}'`)})`;

/** Returns the sums of the delta rows in order; reads no assets. */
export async function sumMonthCounts(
  db: Db,
  cells: SQL,
  granularity: 'month' | 'year',
): Promise<Bucket[]> {
  return toBuckets(
    await queryPrepared(
      db,
      BUCKET_COLUMNS,
      sql`select ${formatDate(sql`local_month`, granularity)} as date, sum(assets) as count
        from asset_count where ${cells} group by 1 having sum(assets) > 0 order by 1`,
    ),
  );
}

/** Returns how many items albums have of each month in order, whatever their state; reads no assets. */
export async function countAlbumMonths(db: Db, albums: readonly string[]): Promise<Bucket[]> {
  return toBuckets(
    await queryPrepared(
      db,
      BUCKET_COLUMNS,
      sql`select ${formatDate(sql`local_month`, 'month')} as date, count(*)::numeric as count
        from album_asset where album_id = any(${uuids(albums)}) group by local_month order by 1`,
    ),
  );
}

export const sumCounts = (buckets: readonly Bucket[]): number =>
  buckets.reduce((total, { count }) => total + count, 0);

export const BUCKET_COLUMNS = { date: column.text, count: column.numeric };

type BucketRow = InferRow<typeof BUCKET_COLUMNS>;
export const toBuckets = (rows: readonly BucketRow[]): Bucket[] =>
  rows.map(({ date, count }) => ({ date, count: Number(count) }));
