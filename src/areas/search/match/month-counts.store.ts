import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { joinWithAnd, queryPrepared } from '../../../db/query.ts';
import type { Matching, Reader } from './matching.store.ts';
import type { PrecomputedFilter, OwnedMatching } from './precomputed-counts.ts';

export type Bucket = { readonly date: string; readonly count: number };

/** Returns the condition on asset_count that selects the matching; only favorites of `viewerId` are favorites. */
export function toCountCondition(
  { scope, owners }: Pick<OwnedMatching, 'scope' | 'owners'>,
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

/**
 * Months by the context of a request, with which they go, and by scope: a search by meaning needs them three times, each
 * time 1 ms.
 */
const ofRequests = new WeakMap<Reader, Map<string, Promise<readonly Bucket[]>>>();

/** Returns the months with items, newest first, whatever is filtered; none where the counts do not tell them. */
export function listMonths(reader: Reader, matching: Matching): Promise<readonly Bucket[]> {
  const { owners, albums, scope, withTrashed } = matching;
  const months = ofRequests.get(reader) ?? new Map<string, Promise<readonly Bucket[]>>();
  ofRequests.set(reader, months);
  const key = JSON.stringify([owners, albums, scope, withTrashed]);
  const known = months.get(key) ?? countMonths(reader, matching);
  months.set(key, known);
  return known;
}

async function countMonths(
  { db, session }: Reader,
  { owners, albums, scope, withTrashed }: Matching,
): Promise<readonly Bucket[]> {
  if (session.kind !== 'user' || scope === 'mixed' || withTrashed) return [];
  if (albums) return (await countAlbumMonths(db, albums)).toReversed();
  if (!owners) return [];
  const none = { type: undefined, isFavorite: undefined };
  const all = toCountCondition({ scope, owners }, none, session.userId);
  return (await sumMonthCounts(db, all, 'month')).toReversed();
}

/** Returns how many items albums have of each month in order, whatever their state; reads no assets. */
async function countAlbumMonths(db: Db, albums: readonly string[]): Promise<Bucket[]> {
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
