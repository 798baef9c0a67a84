import { type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { integers } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { isSidecarFile } from './known-files.ts';
import type { FoundFile } from './walk.ts';

/**
 * Records the files of a part of a walk: new ones, changed and refused ones (to be read again), and those
 * that are back.
 * Unchanged ones cost a look at the index. Returns the ids of all.
 */
export async function recordFiles(
  db: Db,
  libraryId: string,
  files: readonly FoundFile[],
): Promise<readonly number[]> {
  const [row] = await queryRows(
    db,
    { ids: column.text.orNull },
    sql`
    with found as materialized (
      select item ->> 0 as path, (item ->> 1)::bigint as size, (item ->> 2)::bigint as modified_us,
        (item ->> 3)::numeric as inode, (item ->> 4)::boolean as is_sidecar
      from jsonb_array_elements(${JSON.stringify(
        files.map(({ path, size, modifiedUs, inode }) => [
          path,
          size,
          modifiedUs,
          inode,
          isSidecarFile(path),
        ]),
      )}::jsonb) item
    ), known as materialized (
      select file.id, found.*, file.unseen_at, file.missing_at, file.asset_id,
        file.error,
        (file.size, file.modified_us) is distinct from (found.size, found.modified_us) as is_changed,
        file.inode is distinct from found.inode as is_moved
      from found left join library_file file
        on file.library_id = ${libraryId}::uuid and file.path = found.path
    ), added as (
      insert into library_file (library_id, path, is_sidecar, size, modified_us, inode)
      select ${libraryId}::uuid, path, is_sidecar, size, modified_us, inode from known where id is null
      on conflict (library_id, path) do nothing
      returning id
    ), changed as (
      update library_file file set size = known.size, modified_us = known.modified_us,
        inode = known.inode, unseen_at = null, missing_at = null,
        -- Nobody has deleted an item that the trash has lost while the file was gone.
        sha256 = case when is_changed or known.missing_at is not null and known.asset_id is null
          then null else file.sha256 end,
        error = null, is_left_out = false,
        is_released = file.is_released and not is_changed
      from known where file.id = known.id and (is_changed or is_moved
        or known.error is not null or known.unseen_at is not null or known.missing_at is not null)
    ), back as (
      update ${backgroundAssets} set offline_at = null, updated_at = now()
      from known where asset.id = known.asset_id and known.missing_at is not null
    )
    select string_agg(id::text, ',') as ids from (
      select id from known where id is not null union all select id from added) seen`,
  );
  return row?.ids?.split(',').map(Number) ?? [];
}

type PresentPage = {
  readonly after: number;
  readonly limit: number;
  /** Only files in it and, if it is deep, below it. */
  readonly folder: { readonly path: string; readonly isDeep: boolean } | undefined;
};

/** Returns the ids of a page of the files of a library that are not known to be gone. */
export async function listPresent(
  db: Db,
  libraryId: string,
  { after, limit, folder }: PresentPage,
): Promise<number[]> {
  const rows = await queryRows(
    db,
    { id: column.float },
    sql`
    select id::float8 as id from library_file
    where library_id = ${libraryId}::uuid and id > ${after}::bigint and unseen_at is null
      and ${folder ? isIn(folder) : sql`true`}
    order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}

/** Whether the path of a file is in a folder or, if it is deep, below it. */
export function isIn({ path, isDeep }: NonNullable<PresentPage['folder']>): SQL {
  const prefix = `${path.replace(/\/$/, '')}/`;
  // "0" follows "/".
  return sql`path >= ${prefix} and path < ${`${prefix.slice(0, -1)}0`}
    and (${isDeep} or strpos(substr(path, ${prefix.length + 1}::int), '/') = 0)`;
}

/** Returns the paths of files that are not known to be gone. */
export async function listPaths(
  db: Db,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly path: string }[]> {
  if (ids.length === 0) return [];
  return queryRows(
    db,
    { id: column.float, path: column.text },
    sql`
    select id::float8 as id, path from library_file
    where id = any(${integers(ids)}) and unseen_at is null`,
  );
}

/**
 * Files that a scan did not find: those that are at another path now, by their number in the file system,
 * move there with their items; the others are marked as unseen. Returns how many have moved.
 */
export async function recordUnseen(
  db: Db,
  libraryId: string,
  ids: readonly number[],
  now: Date,
): Promise<number> {
  if (ids.length === 0) return 0;
  const unseen = sql`${`{${ids.join(',')}}`}::bigint[]`;
  const rows = await queryRows(
    db,
    { moved: column.boolean },
    sql`
    with moved as materialized (
      select distinct on (gone.id) gone.id, found.id as found_id, found.path
      from library_file gone join library_file found on found.library_id = gone.library_id
        and found.inode = gone.inode and found.size = gone.size
        and found.modified_us = gone.modified_us and found.id <> all(${unseen})
      where gone.id = any(${unseen}) and gone.library_id = ${libraryId}::uuid
        and not gone.is_sidecar and not found.is_sidecar
        and found.sha256 is null and found.asset_id is null and found.unseen_at is null
      order by gone.id, found.id
    ), single as materialized (
      select distinct on (found_id) * from moved order by found_id, id
    ), dropped as (
      delete from library_file using single where library_file.id = single.found_id
      returning single.id, single.path
    )
    update library_file file
    set path = coalesce((select path from dropped where dropped.id = file.id), file.path),
      unseen_at = case when exists (select from dropped where dropped.id = file.id) then null
        else ${now.toISOString()}::timestamptz end
    where file.id = any(${unseen})
    returning file.unseen_at is null as moved`,
  );
  return rows.filter(({ moved }) => moved).length;
}

/** Gives the items of a library the names and folders that their files have now. */
export async function updatePaths(db: Db, libraryId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    with moved as (
      update ${backgroundAssets} set folder = regexp_replace(file.path, '/[^/]*$', ''),
        file_name = regexp_replace(file.path, '^.*/', ''), updated_at = now()
      from library_file file
      where file.library_id = ${libraryId}::uuid and asset.id = file.asset_id
        and asset.folder || '/' || asset.file_name <> file.path
      returning asset.sha256, file.path, file.is_released
    )
    update original set path = moved.path from moved
    where original.sha256 = moved.sha256 and original.path is not null and not moved.is_released`,
  );
}

/** Returns the ids of files that have to be read, in pages. */
export async function listUnread(
  db: Db,
  libraryId: string,
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await queryRows(
    db,
    { id: column.float },
    sql`
    select id::float8 as id from library_file
    where library_id = ${libraryId}::uuid and id > ${afterId}::bigint and sha256 is null
      and error is null and unseen_at is null
    order by id limit ${limit}`,
  );
  return rows.map(({ id }) => id);
}
