import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { joinWithAnd } from '../../../db/conditions.ts';
import { queryPrepared, queryRows } from '../../../db/query.ts';
import { listDayCounts, type SummaryReader } from '../../assets/index.ts';
import type { Granularity } from './counts.schemas.ts';
import type { PrecomputedFilter, OwnedMatching } from './precomputed-counts.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  type Reader,
} from '../match/matching.store.ts';
import { uuids } from '../../../db/arrays.ts';

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
const formatDate = (column: SQL, granularity: Granularity) =>
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

/** Returns the precomputed counts of whole Timelines or archives, in order. */
export async function sumDayCounts(
  reader: SummaryReader,
  { scope, owners }: OwnedMatching,
): Promise<Bucket[]> {
  const days = new Map<string, number>();
  for (const { kind, day, count } of await listDayCounts(reader, owners)) {
    if (kind === 'upload' || (kind === 'taken' && scope !== 'timeline')) continue;
    const change = kind === 'archived' && scope === 'timeline' ? -count : count;
    days.set(day, (days.get(day) ?? 0) + change);
  }
  return [...days]
    .map(([date, count]) => ({ date, count }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));
}

export async function countByDate(
  reader: Reader,
  matching: Matching,
  granularity: Granularity,
): Promise<Bucket[]> {
  // Grouping by the stored day or month costs less than by its text.
  const column = granularity === 'day' ? sql`asset.local_day` : sql`asset.local_month`;
  const items = unionPerOwner(
    matching,
    (owner) => sql`select ${column} as day, count(*) as count
      ${selectMatching(reader, matching, owner)} group by 1`,
  );
  return toBuckets(
    await queryRows(
      reader.db,
      BUCKET_COLUMNS,
      sql`select ${formatDate(sql`day`, granularity)} as date, sum(count) as count
        from (${items}) item group by 1 order by 1`,
    ),
  );
}

export async function countAll(reader: Reader, matching: Matching): Promise<number> {
  const items = unionPerOwner(
    matching,
    (owner) => sql`select count(*) as count ${selectMatching(reader, matching, owner)}`,
  );
  const [row] = await queryRows(
    reader.db,
    { total: column.numeric },
    sql`select coalesce(sum(count), 0) as total from (${items}) item`,
  );
  return Number(row?.total ?? 0);
}

const BUCKET_COLUMNS = { date: column.text, count: column.numeric };

type BucketRow = InferRow<typeof BUCKET_COLUMNS>;
const toBuckets = (rows: readonly BucketRow[]): Bucket[] =>
  rows.map(({ date, count }) => ({ date, count: Number(count) }));
