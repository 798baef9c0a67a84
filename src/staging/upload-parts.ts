import { computeSha256, toHex } from '../core/hash.ts';
import {
  findObjectStore,
  hastenDeletion,
  type ObjectDeps,
  openObjectStore,
  putObject,
} from '../storage/objects.ts';
import { createPartKey } from '../storage/stored-file.ts';
import { PART_BYTES } from '../storage/object-store.ts';
import { ObjectMissing } from '../storage/s3-request.ts';
import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { queryRows } from '../db/query.ts';

// Parts of large unfinished uploads in the object store, each an object: those of a multipart upload could not be read
// before that is complete. They are complete, in order and without gaps from the first byte on. The object of the original
// is composed of them.

/** Smaller files are sent again as fast, and need fewer requests. */
const LARGE_BYTES = 2 * PART_BYTES;

/** Whether parts of an upload of so many bytes are kept in the object store, if there is one. */
export const hasParts = ({ settings }: Pick<ObjectDeps, 'settings'>, size: number): boolean =>
  size > LARGE_BYTES && findObjectStore(settings) !== undefined;

/**
 * Has the object store keep the part of an upload at this position, from the file that has its bytes. Returns false
 * when the part does not count: another process owns the upload by now, or it is over.
 */
export async function putUploadPart(
  deps: ObjectDeps,
  upload: UploadEpoch,
  { path, position }: { readonly path: string; readonly position: number },
): Promise<boolean> {
  const start = position * PART_BYTES;
  const sha256 = await computeSha256(Bun.file(path).slice(start, start + PART_BYTES));
  const key = createPartKey(upload.id, position);
  await putObject(deps, key, { path, start, size: PART_BYTES, sha256 });
  const part = { position, size: PART_BYTES, sha256: Buffer.from(sha256, 'hex'), key };
  if (await insertPart(deps.db, upload, part)) return true;
  await hastenDeletion(deps.db, key);
  return false;
}

/** Returns the parts of an upload of so many bytes that the object store has, from the first one on. */
export const findUploadParts = async (
  deps: ObjectDeps,
  uploadId: string,
  size: number,
): Promise<UploadPart[]> => (hasParts(deps, size) ? listParts(deps.db, uploadId) : []);

export const sumBytes = (parts: readonly UploadPart[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);

/**
 * Yields the bytes of a part. Throws ObjectMissing when it is not there, or, at the end, has other bytes; and
 * StorageUnavailable.
 */
export async function* readUploadPart(
  deps: ObjectDeps,
  { key, size, sha256 }: UploadPart,
): AsyncGenerator<Uint8Array> {
  const objects = await openObjectStore(deps);
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of objects.read(key, { start: 0, end: size })) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== toHex(sha256)) throw new ObjectMissing(`${key} has other bytes`);
}

const PART_COLUMNS = {
  position: column.integer,
  /** Bytes. */
  size: column.integer,
  sha256: column.bytea,
  key: column.text,
};

export type UploadPart = InferRow<typeof PART_COLUMNS>;

/** The ownership of an unfinished upload by one process. */
type UploadEpoch = { readonly id: string; readonly epoch: number };

/**
 * Adds a part behind those that are there. Returns false when another process owns the upload by now, it is over, or
 * the object is about to be deleted. Whoever begins a later epoch waits for this, and sees the part.
 */
async function insertPart(
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
const listParts = (db: Db, uploadId: string): Promise<UploadPart[]> =>
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
