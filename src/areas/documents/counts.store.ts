import { sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import { queryPrepared } from '../../db/query.ts';
import { getSummaries, type MonthSummary, type SummaryReader } from '../assets/index.ts';

export type MonthCount = {
  /** The first day of it, in UTC. */
  readonly month: string;
  readonly documents: number;
};

const COLUMNS = { month: column.text, utcMonth: column.text, documents: column.integer };

/** By the month in UTC, in which order they are listed; what has changed is found by the month of capture. */
const DOCUMENTS: MonthSummary<readonly [month: string]> = {
  kind: 'documents',
  format: 2,
  async count(db, ownerId, months) {
    const isCounted = months
      ? sql`local_month = any(${`{${months.join(',')}}`}::date[])`
      : sql`true`;
    const rows = await queryPrepared(
      db,
      COLUMNS,
      sql`select local_month::text as month,
          date_trunc('month', taken_at at time zone 'utc')::date::text as "utcMonth",
          count(*)::int as documents
        from document where owner_id = ${ownerId} and is_listed and fills_picture
          and ${isCounted}
        group by local_month, 2`,
    );
    return rows.map(({ month, utcMonth, documents }) => ({
      month,
      parts: [utcMonth],
      count: documents,
      example: null,
    }));
  },
};

/** Returns how many documents the account lists by month, latest first; months without are left out. */
export async function countsByMonth(reader: SummaryReader, ownerId: string): Promise<MonthCount[]> {
  const summaries = await getSummaries(reader, DOCUMENTS, [ownerId]);
  return (summaries.get(ownerId) ?? [])
    .map(({ parts: [month], count }) => ({ month, documents: count }))
    .toSorted((a, b) => (a.month < b.month ? 1 : -1));
}
