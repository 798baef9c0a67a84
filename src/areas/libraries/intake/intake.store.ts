import { inArray, type SQL, sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { libraryFiles } from '../../../db/tables/libraries.ts';
import { toHex } from '../../../core/hash.ts';
import type { NewItem } from './new-items.store.ts';

const UNREAD_FILE_COLUMNS = {
  id: column.float,
  path: column.text,
  isSidecar: column.boolean,
  size: column.float,
  modifiedUs: column.float,
  assetId: column.uuid.orNull,
};

export type UnreadFile = InferRow<typeof UNREAD_FILE_COLUMNS>;

const UNREAD = sql`sha256 is null and error is null and unseen_at is null`;

/** Returns those of the files of a library that have to be read. */
export const listUnread = (
  db: Db,
  libraryId: string,
  ids: readonly number[],
): Promise<UnreadFile[]> =>
  db
    .select({
      id: libraryFiles.id,
      path: libraryFiles.path,
      isSidecar: libraryFiles.isSidecar,
      size: libraryFiles.size,
      modifiedUs: libraryFiles.modifiedUs,
      assetId: libraryFiles.assetId,
    })
    .from(libraryFiles)
    .where(
      sql`${inArray(libraryFiles.id, [...ids])} and library_id = ${libraryId}::uuid and ${UNREAD}`,
    )
    .orderBy(libraryFiles.id);

/** The same, and locks them until the transaction ends. */
export async function lockUnread(
  db: Db,
  libraryId: string,
  ids: readonly number[],
): Promise<Map<number, UnreadFile>> {
  const rows = await queryRows(
    db,
    UNREAD_FILE_COLUMNS,
    sql`
    select id::float8 as id, path, is_sidecar as "isSidecar", size::float8 as size, modified_us::float8 as "modifiedUs",
      asset_id as "assetId"
    from library_file
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and library_id = ${libraryId}::uuid and ${UNREAD}
    order by id for update`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Records why files were not taken in, until the next scan. */
export async function setError(db: Db, ids: readonly number[], error: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update library_file set error = ${error}
    where id = any(${`{${ids.join(',')}}`}::bigint[]) and ${UNREAD}`,
  );
}

export type ExternalContent = {
  readonly sha256: Uint8Array;
  readonly size: number;
  readonly path: string;
};

/**
 * Locks the rows of contents until the commit, in the order of their digests, and inserts those that are
 * new. One that is not in our store is read from the path given.
 */
export async function lockContents(db: Db, contents: readonly ExternalContent[]): Promise<void> {
  const byHash = new Map(contents.map((one) => [toHex(one.sha256), one]));
  await queryRows(
    db,
    sql`
    insert into original (sha256, size, path)
    select decode(item ->> 0, 'hex'), (item ->> 1)::bigint, item ->> 2
    from jsonb_array_elements(${JSON.stringify(
      [...byHash].map(([hash, { size, path }]) => [hash, size, path]),
    )}::jsonb) item order by item ->> 0
    on conflict (sha256) do update
    set path = case when original.path is not null then excluded.path end`,
  );
}

const isUnseenItem = (libraryId: string): SQL =>
  sql`library_id = ${libraryId}::uuid and unseen_at is not null and asset_id is not null`;

/** Returns those of the contents (hex digests) that a file of a library has that was not seen any more. */
export async function filterUnseenContents(
  db: Db,
  libraryId: string,
  digests: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { digest: column.text },
    sql`
    select given.digest from unnest(${`{${digests.join(',')}}`}::text[]) given (digest)
    where exists (
      select from library_file
      where ${isUnseenItem(libraryId)} and sha256 = decode(given.digest, 'hex'))`,
  );
  return new Set(rows.map(({ digest }) => digest));
}

/** Returns the file of a library that was not seen any more and has this content; locks it. */
export async function lockUnseenFileByContent(
  db: Db,
  libraryId: string,
  sha256: Uint8Array,
): Promise<{ readonly id: number; readonly assetId: string } | undefined> {
  const [row] = await queryRows(
    db,
    { id: column.float, assetId: column.uuid },
    sql`
    select id::float8 as id, asset_id as "assetId" from library_file
    where ${isUnseenItem(libraryId)} and sha256 = decode(${toHex(sha256)}, 'hex')
    order by id limit 1 for update`,
  );
  return row;
}

/** Gives a file that was not seen any more the path of the one that has its content. */
export async function moveFile(db: Db, id: number, found: UnreadFile): Promise<void> {
  await queryRows(
    db,
    sql`
    with found as (
      delete from library_file where id = ${found.id}::bigint returning *
    )
    update library_file file set path = found.path, size = found.size, inode = found.inode,
      modified_us = found.modified_us, unseen_at = null, missing_at = null, is_left_out = false
    from found where file.id = ${id}::bigint`,
  );
}

export type FilePlace = { readonly folder: string; readonly fileName: string };

/** The item of a file that was moved within its library. */
export async function moveAsset(
  db: Db,
  assetId: string,
  { folder, fileName }: FilePlace,
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update ${backgroundAssets} set folder = ${folder}, file_name = ${fileName}, offline_at = null,
      updated_at = ${now.toISOString()}::timestamptz
    where asset.id = ${assetId}::uuid`,
  );
}

/** Returns those of the items that have another content than the given one. */
export async function filterReplaced(
  db: Db,
  contents: readonly { readonly assetId: string; readonly sha256: Uint8Array }[],
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from jsonb_array_elements(${JSON.stringify(
      contents.map(({ assetId, sha256 }) => [assetId, toHex(sha256)]),
    )}::jsonb) item join ${backgroundAssets} on asset.id = (item ->> 0)::uuid
    where asset.sha256 <> decode(item ->> 1, 'hex')`,
  );
  return rows.map(({ id }) => id);
}

/**
 * Gives an item the content that its file has now. The metadata of another one is read as for the first time, with
 * its tags.
 */
export async function updateContent(
  db: Db,
  assetId: string,
  {
    sha256,
    sha1,
    fileSize,
    fileModifiedAt,
  }: Pick<NewItem, 'sha256' | 'sha1' | 'fileSize' | 'fileModifiedAt'>,
  now: Date,
): Promise<void> {
  await queryRows(
    db,
    sql`
    update ${backgroundAssets} set sha256 = decode(${toHex(sha256)}, 'hex'),
      sha1 = decode(${toHex(sha1)}, 'hex'), file_size = ${fileSize}::bigint,
      file_modified_at = ${fileModifiedAt.toISOString()}::timestamptz, broken_reason = null, damage = null,
      duration_ms = case when sha256 = decode(${toHex(sha256)}, 'hex') then duration_ms end,
      metadata_read_at = case when sha256 = decode(${toHex(sha256)}, 'hex') then metadata_read_at end,
      offline_at = null, updated_at = ${now.toISOString()}::timestamptz
    where asset.id = ${assetId}::uuid`,
  );
}

/** Records what was read of files, and their items. */
export async function saveRead(
  db: Db,
  files: readonly { readonly id: number; readonly sha256: Uint8Array; readonly assetId: string }[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    update library_file set sha256 = decode(item ->> 1, 'hex'), asset_id = (item ->> 2)::uuid
    from jsonb_array_elements(${JSON.stringify(
      files.map(({ id, sha256, assetId }) => [id, toHex(sha256), assetId]),
    )}::jsonb) item
    where library_file.id = (item ->> 0)::bigint`,
  );
}
