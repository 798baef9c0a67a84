import { type SQL, sql } from 'drizzle-orm';
import { ownerAssets } from '../../../access/unscoped.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import { getSummaries, type MonthSummary, type SummaryReader } from './month-summaries.ts';
import { isInMonths } from './months.ts';

const COLUMNS = { month: column.text, kind: column.text, day: column.text, count: column.integer };

/** Selects the days of one visibility, so that the partial index on its months applies. */
const toDayCountQuery = (
  visibility: SQL,
  ownerId: string,
  months: readonly string[] | undefined,
) => sql`
  select local_month, local_day, (created_at at time zone 'utc')::date as upload_day, visibility,
    count(*) as assets
  from ${ownerAssets} where owner_id = ${ownerId} and visibility = ${visibility}
    and locked_at is null and trashed_at is null and ${isInMonths(months)}
  group by 1, 2, 3, 4`;

/** Counts by UTC day of upload and by local day of capture; the archive also separately. */
export const DAYS: MonthSummary<readonly [kind: string, day: string]> = {
  kind: 'days',
  format: 1,
  async count(db, ownerId, months) {
    const rows = await queryPrepared(
      db,
      COLUMNS,
      sql`select local_month::text as month, kind, day::text, sum(assets)::int as count from (
          ${toDayCountQuery(sql`'timeline'`, ownerId, months)}
          union all ${toDayCountQuery(sql`'archive'`, ownerId, months)}
        ) known cross join lateral (values ('upload', upload_day), ('taken', local_day),
          ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
        where day is not null group by local_month, kind, at.day`,
    );
    return rows.map(({ month, kind, day, count }) => ({
      month,
      parts: [kind, day],
      count,
      example: null,
    }));
  },
};

export type DayKind = 'upload' | 'taken' | 'archived';
export type DayCount = {
  readonly ownerId: string;
  readonly kind: DayKind;
  readonly day: string;
  readonly count: number;
};

/** Returns how many items of Timeline and archive each owner has by day, in no order. */
export async function listDayCounts(
  reader: SummaryReader,
  owners: readonly string[],
): Promise<DayCount[]> {
  const summaries = await getSummaries(reader, DAYS, owners);
  return [...summaries].flatMap(([ownerId, values]) =>
    values.map(({ parts: [kind, day], count }) => ({
      ownerId,
      kind: kind as DayKind,
      day,
      count,
    })),
  );
}
