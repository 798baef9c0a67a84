import { sql } from 'drizzle-orm';
import { backgroundAssets } from '../../../access/unscoped.ts';
import { toHex } from '../../../core/hash.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import type { SidecarValues } from '../../../media/xmp.ts';
import { findSidecarValues } from '../../assets/index.ts';

const DUE_COLUMNS = {
  assetId: column.uuid,
  path: column.text,
  fields: column.textArray,
  tagsAdded: column.textArray,
  tagsRemoved: column.textArray,
  revision: column.integer,
};

/** Metadata of an item that its sidecar does not have yet. */
export type DueChange = InferRow<typeof DUE_COLUMNS>;

// Locked items wait until they are unlocked, so that nothing that is written about them lies in the open; those
// that are offline or in the trash, until they are back.
const dueAt = (now: Date) => sql`
  sidecar_change change join ${backgroundAssets} on asset.id = change.asset_id
    join library_file file on file.asset_id = asset.id and file.library_id = asset.library_id
  where (change.retry_at is null or change.retry_at <= ${now.toISOString()}::timestamptz)
    and asset.locked_at is null and asset.trashed_at is null and asset.offline_at is null
    and file.unseen_at is null`;

/** Returns the ids of the libraries with changes that are due. */
export async function listDueLibraries(db: Db, now: Date): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select distinct asset.library_id as id from ${dueAt(now)}`,
  );
  return rows.map(({ id }) => id);
}

/** Returns a page of the changes of a library that are due. */
export const listDue = (
  db: Db,
  libraryId: string,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<DueChange[]> =>
  queryRows(
    db,
    DUE_COLUMNS,
    sql`
    select asset.id as "assetId", file.path, change.fields, change.tags_added as "tagsAdded",
      change.tags_removed as "tagsRemoved", change.revision
    from ${dueAt(now)} and asset.library_id = ${libraryId}::uuid
    order by file.path limit ${limit}`,
  );

/** Returns the metadata of an item; undefined if it was deleted. */
export const findValues = async (db: Db, assetId: string): Promise<SidecarValues | undefined> =>
  (await findSidecarValues(db, backgroundAssets, [assetId])).get(assetId);

/** Forgets a change that is in its sidecar, unless there was another one meanwhile. */
export async function deleteChange(
  db: Db,
  { assetId, revision }: Pick<DueChange, 'assetId' | 'revision'>,
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from sidecar_change where asset_id = ${assetId}::uuid and revision = ${revision}`,
  );
}

/** Forgets all changes. */
export async function deleteChanges(db: Db): Promise<void> {
  await queryRows(db, sql`delete from sidecar_change`);
}

/** Records why a change could not be written, and when to try again. */
export async function setRetry(
  db: Db,
  { assetId, revision }: Pick<DueChange, 'assetId' | 'revision'>,
  { error, at }: { readonly error: string; readonly at: Date },
): Promise<void> {
  await queryRows(
    db,
    sql`
    update sidecar_change set error = ${error}, retry_at = ${at.toISOString()}::timestamptz
    where asset_id = ${assetId}::uuid and revision = ${revision}`,
  );
}

/** Lets what could not be written be tried again at once. */
export async function retryFailed(db: Db, libraryId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    update sidecar_change set retry_at = null from ${backgroundAssets}
    where asset.id = asset_id and asset.library_id = ${libraryId}::uuid and retry_at is not null`,
  );
}

export type WrittenFile = {
  readonly path: string;
  readonly sha256: Uint8Array;
  readonly size: number;
  /** Microseconds since 1970. */
  readonly modifiedUs: number;
  readonly inode: string;
};

/** Records a sidecar as it was written, so that no scan takes it for changed. */
export async function saveWritten(db: Db, libraryId: string, file: WrittenFile): Promise<void> {
  const { path, sha256, size, modifiedUs, inode } = file;
  await queryRows(
    db,
    sql`
    insert into library_file (library_id, path, is_sidecar, size, modified_us, inode, sha256)
    values (${libraryId}::uuid, ${path}, true, ${size}::bigint, ${modifiedUs}::bigint,
      ${inode}::numeric, decode(${toHex(sha256)}, 'hex'))
    on conflict (library_id, path) do update set size = excluded.size, inode = excluded.inode,
      modified_us = excluded.modified_us, sha256 = excluded.sha256, error = null,
      unseen_at = null, missing_at = null`,
  );
}

const UNWRITTEN_COLUMNS = { unwritten: column.integer, error: column.text.orNull };
export type Unwritten = InferRow<typeof UNWRITTEN_COLUMNS>;

/** Counts the items of a library with changes that are not written, and returns why one of them could not be. */
export async function readUnwritten(db: Db, libraryId: string): Promise<Unwritten> {
  return getRow(
    await queryRows(
      db,
      UNWRITTEN_COLUMNS,
      sql`
    select count(*)::int as unwritten, max(error) as error
    from sidecar_change join ${backgroundAssets} on asset.id = asset_id
    where asset.library_id = ${libraryId}::uuid`,
    ),
  );
}
