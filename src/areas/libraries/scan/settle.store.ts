import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { integers } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

const UNSEEN_COUNTS_COLUMNS = { unseen: column.integer, present: column.integer };

export type UnseenCounts = InferRow<typeof UNSEEN_COUNTS_COLUMNS>;

/** Whether files have to be read before it is known what became of unseen ones. */
export async function hasUnread(db: Db, libraryId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select from library_file where library_id = ${libraryId}::uuid and not is_released
      and sha256 is null and error is null and unseen_at is null limit 1`,
  );
  return rows.length > 0;
}

/** Returns a page of the files that the last scan did not find and that are not taken for gone, by id. */
export const listUnseen = (
  db: Db,
  libraryId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<{ readonly id: number; readonly path: string }[]> =>
  queryRows(
    db,
    { id: column.float, path: column.text },
    sql`
    select id::float8 as id, path from library_file
    where library_id = ${libraryId}::uuid and id > ${after}::bigint and unseen_at is not null
      and missing_at is null and not is_released
    order by id limit ${limit}`,
  );

export async function countUnseen(db: Db, libraryId: string): Promise<UnseenCounts> {
  const row = getRow(
    await queryRows(
      db,
      UNSEEN_COUNTS_COLUMNS,
      sql`
    select count(*) filter (where unseen_at is not null and missing_at is null and not is_sidecar)::int
        as unseen,
      count(*) filter (where unseen_at is null and not is_sidecar)::int as present
    from library_file where library_id = ${libraryId}::uuid and not is_released`,
    ),
  );
  return row;
}

/** Sets the unseen files of a library, or those of them, missing, and their items offline. Returns their number. */
export async function setMissing(
  db: Db,
  libraryId: string,
  now: Date,
  ids?: readonly number[],
): Promise<number> {
  const at = sql`${now.toISOString()}::timestamptz`;
  const rows = await queryRows(
    db,
    sql`
    with gone as (
      update library_file set missing_at = ${at}
      where library_id = ${libraryId}::uuid and unseen_at is not null and missing_at is null
        and not is_released ${ids ? sql`and id = any(${integers(ids)})` : sql``}
      returning asset_id, sha256, path
    ), offline as (
      update ${backgroundAssets} set offline_at = ${at}, updated_at = ${at}
      from gone where asset.id = gone.asset_id
    ), elsewhere as (
      -- Another file with the content is read from now on.
      update original set path = other.path
      from gone, library_file other
      where original.sha256 = gone.sha256 and original.path = gone.path
        and other.sha256 = gone.sha256 and other.unseen_at is null
      returning original.path
    ), depended as (
      update library_file set is_released = false from elsewhere
      where library_file.path = elsewhere.path and library_file.is_released
    )
    select from gone`,
  );
  // Files that were never taken in leave no trace.
  await queryRows(
    db,
    sql`
    delete from library_file
    where library_id = ${libraryId}::uuid and missing_at is not null and asset_id is null`,
  );
  return rows.length;
}

const TRASHED_FILE_COLUMNS = { id: column.float, assetId: column.uuid };

export type TrashedFile = InferRow<typeof TRASHED_FILE_COLUMNS>;

/** Returns files that have been missing since before a time, and whose items are not in the trash. */
export const listLongMissing = (db: Db, before: Date, limit: number): Promise<TrashedFile[]> =>
  queryRows(
    db,
    TRASHED_FILE_COLUMNS,
    sql`
    select file.id::float8 as id, file.asset_id as "assetId"
    from library_file file join ${backgroundAssets} on asset.id = file.asset_id
    where file.unseen_at is not null and file.missing_at < ${before.toISOString()}::timestamptz
      and file.trashed_at is null and asset.trashed_at is null
    order by file.id limit ${limit}`,
  );

/** Returns files that are back, and whose items were moved to the trash because they were gone. */
export const listReturned = (db: Db, libraryId: string, limit: number): Promise<TrashedFile[]> =>
  queryRows(
    db,
    TRASHED_FILE_COLUMNS,
    sql`
    select id::float8 as id, asset_id as "assetId" from library_file
    where library_id = ${libraryId}::uuid and trashed_at is not null and missing_at is null
      and asset_id is not null
    order by id limit ${limit}`,
  );

/** Records that the items of files were moved to the trash, or back. */
export async function setTrashed(
  db: Db,
  files: readonly TrashedFile[],
  trashedAt: Date | null,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update library_file set trashed_at = ${trashedAt?.toISOString() ?? null}::timestamptz
    where id = any(${`{${files.map(({ id }) => id).join(',')}}`}::bigint[])`,
  );
}
