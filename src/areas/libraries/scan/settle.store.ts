import { type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { integers, texts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { isIn } from './scan.store.ts';

const UNSEEN_COUNTS_COLUMNS = {
  unseen: column.integer,
  present: column.integer,
  /** Unseen files of the bare folders. */
  inBare: column.integer,
};

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

const isInAny = (folders: readonly string[]): SQL =>
  folders.length === 0
    ? sql`false`
    : sql`(${sql.join(
        folders.map((path) => isIn({ path, isDeep: true })),
        sql` or `,
      )})`;

/** Returns those of the folders below which a library has files, there or not. */
export async function filterWithFiles(
  db: Db,
  libraryId: string,
  folders: readonly string[],
): Promise<string[]> {
  if (folders.length === 0) return [];
  const rows = await queryRows(
    db,
    { path: column.text },
    sql`
    select folder.path from unnest(${texts(folders)}) folder (path) where exists (
      select from library_file file where file.library_id = ${libraryId}::uuid
        -- "0" follows "/".
        and file.path >= folder.path || '/' and file.path < folder.path || '0')`,
  );
  return rows.map(({ path }) => path);
}

type BareFolder = {
  readonly path: string;
  /** Number of files that it had. */
  readonly files: number;
};

/** Returns those of the folders of which files were there, and none is. */
export async function listBare(
  db: Db,
  libraryId: string,
  folders: readonly string[],
): Promise<BareFolder[]> {
  const bare: BareFolder[] = [];
  for (const path of folders) {
    const isOfIt = sql`library_id = ${libraryId}::uuid and ${isIn({ path, isDeep: true })}
      and not is_sidecar and not is_released`;
    const [row] = await queryRows(
      db,
      { files: column.integer },
      sql`
      select count(*)::int as files from library_file
      where ${isOfIt} and unseen_at is not null and missing_at is null
        and not exists (select from library_file where ${isOfIt} and unseen_at is null)`,
    );
    if (row && row.files > 0) bare.push({ path, files: row.files });
  }
  return bare;
}

/** Counts the files that the last scan did not find, in bare folders and elsewhere, and those that it did. */
export async function countUnseen(
  db: Db,
  libraryId: string,
  bare: readonly string[],
): Promise<UnseenCounts> {
  return getRow(
    await queryRows(
      db,
      UNSEEN_COUNTS_COLUMNS,
      sql`
    select count(*) filter (where unseen_at is not null and missing_at is null and not is_in_bare)::int as unseen,
      count(*) filter (where unseen_at is null)::int as present,
      count(*) filter (where unseen_at is not null and missing_at is null and is_in_bare)::int as "inBare"
    from (
      select unseen_at, missing_at, ${isInAny(bare)} as is_in_bare from library_file
      where library_id = ${libraryId}::uuid and not is_released and not is_sidecar) file`,
    ),
  );
}

/** Sets the unseen files of a library missing, and their items offline: all but those in `kept` folders. */
export const setMissing = (
  db: Db,
  libraryId: string,
  now: Date,
  kept: readonly string[] = [],
): Promise<void> =>
  takeAway(db, libraryId, now, {
    which: sql`unseen_at is not null and missing_at is null and not is_released and not is_sidecar
      and not ${isInAny(kept)}`,
    isLeftOut: false,
  });

/** Sets files missing because their library leaves them out, and their items offline. */
export const setLeftOut = (
  db: Db,
  libraryId: string,
  now: Date,
  ids: readonly number[],
): Promise<void> =>
  takeAway(db, libraryId, now, { which: sql`id = any(${integers(ids)})`, isLeftOut: true });

async function takeAway(
  db: Db,
  libraryId: string,
  now: Date,
  { which, isLeftOut }: { readonly which: SQL; readonly isLeftOut: boolean },
): Promise<void> {
  const at = sql`${now.toISOString()}::timestamptz`;
  await queryRows(
    db,
    sql`
    with gone as (
      update library_file set missing_at = coalesce(missing_at, ${at}), is_left_out = ${isLeftOut}
      where library_id = ${libraryId}::uuid and ${which}
      returning asset_id, sha256, path
    ), offline as (
      update ${backgroundAssets} set offline_at = ${at}, updated_at = ${at}
      from gone where asset.id = gone.asset_id and asset.offline_at is null
    ), elsewhere as (
      -- Another file with the content is read from now on.
      update original set path = other.path
      from gone, library_file other
      where original.sha256 = gone.sha256 and original.path = gone.path
        and other.sha256 = gone.sha256 and other.unseen_at is null
      returning original.path
    )
    update library_file set is_released = false from elsewhere
    where library_file.path = elsewhere.path and library_file.is_released`,
  );
  // Files that were never taken in leave no trace.
  await queryRows(
    db,
    sql`
    delete from library_file
    where library_id = ${libraryId}::uuid and unseen_at is not null and missing_at is not null
      and asset_id is null`,
  );
}

const UNSEEN_FILE_COLUMNS = {
  id: column.float,
  path: column.text,
  isLeftOut: column.boolean,
};

/** Returns a page of the photos, videos and sounds that the last scan did not find, by id. */
export const listUnseen = (
  db: Db,
  libraryId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<InferRow<typeof UNSEEN_FILE_COLUMNS>[]> =>
  queryRows(
    db,
    UNSEEN_FILE_COLUMNS,
    sql`
    select id::float8 as id, path, is_left_out as "isLeftOut" from library_file
    where library_id = ${libraryId}::uuid and id > ${after}::bigint and unseen_at is not null
      and not is_sidecar
    order by id limit ${limit}`,
  );

/** Files that are left out no longer. One that is read from another file is back, the others once they are found. */
export async function clearLeftOut(db: Db, ids: readonly number[], now: Date): Promise<void> {
  await queryRows(
    db,
    sql`
    with back as (
      update library_file set is_left_out = false,
        missing_at = case when is_released then null else missing_at end
      where id = any(${integers(ids)}) returning asset_id, is_released
    )
    update ${backgroundAssets} set offline_at = null, updated_at = ${now.toISOString()}::timestamptz
    from back where asset.id = back.asset_id and back.is_released`,
  );
}

/** Files with their items, where these are listed. The video of a live photo goes to the trash with its still. */
const FROM_LISTED = sql`
  from library_file file join ${backgroundAssets} on asset.id = file.asset_id
    and asset.trashed_at is null and asset.visibility <> 'hidden'`;

/** Returns those of the files whose items are listed, and locks these until the transaction ends. */
export const lockListed = (db: Db, ids: readonly number[]): Promise<TrashedFile[]> =>
  queryRows(
    db,
    TRASHED_FILE_COLUMNS,
    sql`
    select file.id::float8 as id, file.asset_id as "assetId" ${FROM_LISTED}
    where file.id = any(${integers(ids)})
    order by asset.id for no key update of asset`,
  );

const TRASHED_FILE_COLUMNS = { id: column.float, assetId: column.uuid };

export type TrashedFile = InferRow<typeof TRASHED_FILE_COLUMNS>;

/** Returns files that have been missing since before a time, and whose items are listed. */
export const listLongMissing = (db: Db, before: Date, limit: number): Promise<TrashedFile[]> =>
  queryRows(
    db,
    TRASHED_FILE_COLUMNS,
    sql`
    select file.id::float8 as id, file.asset_id as "assetId" ${FROM_LISTED}
    where file.unseen_at is not null and file.missing_at < ${before.toISOString()}::timestamptz
      and file.trashed_at is null
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
