import { sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { listDayCounts, type SummaryReader } from '../../assets/index.ts';
import type { Granularity } from './counts.schemas.ts';
import { type Bucket, BUCKET_COLUMNS, formatDate, toBuckets } from '../match/month-counts.store.ts';
import type { OwnedMatching } from '../match/precomputed-counts.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  type Reader,
} from '../match/matching.store.ts';

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
