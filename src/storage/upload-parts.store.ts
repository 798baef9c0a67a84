import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

const PART_COLUMNS = {
  position: column.integer,
  /** Bytes. */
  size: column.integer,
  sha256: column.bytea,
  key: column.text,
};

export type UploadPart = InferRow<typeof PART_COLUMNS>;

/** The ownership of an unfinished upload by one process. */
export type UploadEpoch = { readonly id: string; readonly epoch: number };

/**
 * Adds a part behind those that are there. Returns false when another process owns the upload by now, it is over, or
 * the object is about to be deleted. Whoever begins a later epoch waits for this, and sees the part.
 */
export async function insertPart(
  db: Db,
  { id, epoch }: UploadEpoch,
  { position, size, sha256, key }: UploadPart,
): Promise<boolean> {
  const inserted = await queryRows(
    db,
    { position: column.integer },
    sql`
    with owned as materialized (
      select id from upload
      where id = ${id}::uuid and epoch = ${epoch}::bigint and status = 'incomplete'
        and (select count(*) from upload_part where upload_id = ${id}::uuid) = ${position}::int
      for share
    ), named as (
      delete from object_deletion where key = ${key} and exists (select from owned) returning key
    )
    insert into upload_part (upload_id, position, size, sha256, object_key)
    select owned.id, ${position}::int, ${size}::int, ${sha256}, named.key from owned, named
    returning position`,
  );
  return inserted.length > 0;
}

/** Returns the parts of an upload, the first one first. None is missing between them. */
export const listParts = (db: Db, uploadId: string): Promise<UploadPart[]> =>
  queryRows(
    db,
    PART_COLUMNS,
    sql`
    select position, size, sha256, object_key as key from upload_part
    where upload_id = ${uploadId}::uuid order by position`,
  );

/** Deletes the parts of an upload, whose objects go soon. */
export async function deleteParts(db: Db, uploadId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    with gone as (delete from upload_part where upload_id = ${uploadId}::uuid returning object_key)
    insert into object_deletion (key, due_at) select object_key, now() from gone
    on conflict (key) do nothing`,
  );
}

/** The same for all uploads that are over, and were left by a crash or with their account. */
export async function deletePartsOfEnded(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    with gone as (
      delete from upload_part where not exists (
        select from upload where id = upload_id and status in ('incomplete', 'verified'))
      returning object_key
    )
    insert into object_deletion (key, due_at) select object_key, now() from gone
    on conflict (key) do nothing`,
  );
}

/** Returns those of the keys that no part names and no deletion. `uploadIds`: the upload of each. */
export async function filterUnknownParts(
  db: Db,
  keys: readonly string[],
  uploadIds: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`
    select found.key from unnest(${texts(keys)}, ${texts(uploadIds)}::uuid[]) found (key, upload_id)
    where not exists (select from object_deletion known where known.key = found.key)
      and not exists (select from upload_part known
        where known.upload_id = found.upload_id and known.object_key = found.key)`,
  );
  return rows.map(({ key }) => key);
}
