import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { FOLDER_PATH } from '../assets/index.ts';

const FOLDER_COUNT_COLUMNS = { path: column.text, count: column.integer };
export type FolderCount = InferRow<typeof FOLDER_COUNT_COLUMNS>;

/** Counts the items of the own Timeline by folder that content rules leave out. */
export const countSuppressed = (db: Db, session: Session): Promise<FolderCount[]> =>
  queryRows(
    db,
    FOLDER_COUNT_COLUMNS,
    sql`select ${FOLDER_PATH} as path, count(*)::int as count
      from ${ownAssets(db, session, 'timeline', { suppressed: 'only' })} group by 1`,
  );

/** Returns the ids of the items of the own Timeline in a folder, by file name. */
export async function listItems(db: Db, session: Session, folder: string): Promise<string[]> {
  const [, year, month] = /^\/(\d{4})\/(\d\d)$/.exec(folder) ?? [];
  const day = year && Number(month) >= 1 && Number(month) <= 12 ? `${year}-${month}-01` : null;
  const asset = ownAssets(db, session, 'timeline');
  const rows = await queryRows(
    db,
    { id: column.uuid, file_name: column.text },
    sql`
    select asset.id, asset.file_name from ${asset}
    where asset.library_id is null and asset.local_month = ${day}::date
    union all
    select asset.id, asset.file_name from ${asset}
    where asset.library_id is not null and asset.folder = ${folder}
    order by file_name, id`,
  );
  return rows.map(({ id }) => id);
}
