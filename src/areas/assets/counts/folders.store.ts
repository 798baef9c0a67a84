import { sql } from 'drizzle-orm';
import { ownerAssets } from '../../../access/unscoped.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared } from '../../../db/query.ts';
import { getSummaries, type MonthSummary, type SummaryReader } from './month-summaries.ts';
import { isInMonths } from './months.ts';

const COLUMNS = { month: column.text, path: column.text, count: column.integer };

/** The folder that an item is shown in: that of its file in a library, and `/2024/05` for uploads. */
export const FOLDER_PATH = sql.raw(`case when asset.library_id is null
  then to_char(asset.local_month, '/YYYY/MM') else asset.folder end`);

/** Counts the Timeline by folder. */
export const FOLDERS: MonthSummary<readonly [path: string]> = {
  kind: 'folders',
  format: 1,
  async count(db, ownerId, months) {
    const rows = await queryPrepared(
      db,
      COLUMNS,
      sql`select asset.local_month::text as month, ${FOLDER_PATH} as path, count(*)::int as count
        from ${ownerAssets} where asset.owner_id = ${ownerId} and asset.visibility = 'timeline'
          and asset.locked_at is null and asset.trashed_at is null and ${isInMonths(months)}
        group by asset.local_month, 2`,
    );
    return rows.map(({ month, path, count }) => ({ month, parts: [path], count, example: null }));
  },
};

/** Returns how many items of the Timeline of the owner each folder has, in no order; includes suppressed items. */
export async function listFolderCounts(
  reader: SummaryReader,
  ownerId: string,
): Promise<{ readonly path: string; readonly count: number }[]> {
  const summaries = await getSummaries(reader, FOLDERS, [ownerId]);
  return (summaries.get(ownerId) ?? []).map(({ parts: [path], count }) => ({ path, count }));
}
