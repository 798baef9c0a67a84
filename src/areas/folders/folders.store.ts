import { sql } from 'drizzle-orm';
import { ownAssets, requireUser } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { ownerAssets } from '../../access/unscoped.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/**
 * Returns the folders of the items on the own Timeline: of files in libraries, and of the months of uploads.
 * Jumps from folder to folder and from month to month in the index, however many items they have.
 */
export async function listFolders(db: Db, session: Session): Promise<string[]> {
  const { userId } = requireUser(session);
  const rows = await queryRows(
    db,
    { folder: column.text },
    sql`
    with recursive known as (
      select min(asset.folder) as folder from ${ownerAssets}
      where asset.owner_id = ${userId}::uuid and asset.library_id is not null
      union all
      select (
        select min(asset.folder) from ${ownerAssets}
        where asset.owner_id = ${userId}::uuid and asset.library_id is not null
          and asset.folder > known.folder)
      from known where known.folder is not null
    ), month as (
      select distinct local_month from asset_count where owner_id = ${userId}::uuid
    )
    select folder from known where exists (
      select from ${ownAssets(db, session, 'timeline')} where asset.folder = known.folder)
    union all
    select to_char(local_month, '/YYYY/MM') from month where exists (
      select from ${ownAssets(db, session, 'timeline')}
      where asset.local_month = month.local_month and asset.library_id is null)
    order by folder`,
  );
  return rows.map(({ folder }) => folder);
}

const FOLDER_COUNT_COLUMNS = { path: column.text, count: column.integer };
export type FolderCount = InferRow<typeof FOLDER_COUNT_COLUMNS>;

/** Counts the items of the own Timeline in each folder, without those below it. Reads every item. */
export const countItems = (db: Db, session: Session): Promise<FolderCount[]> => {
  const asset = ownAssets(db, session, 'timeline');
  return queryRows(
    db,
    FOLDER_COUNT_COLUMNS,
    sql`
    select asset.folder as path, count(*)::int as count from ${asset}
    where asset.library_id is not null group by asset.folder
    union all
    select to_char(asset.local_month, '/YYYY/MM'), count(*)::int from ${asset}
    where asset.library_id is null group by asset.local_month
    order by path`,
  );
};

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
