import { sql } from 'drizzle-orm';
import { texts } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { column, type InferRow } from '../db/columns.ts';
import { getRow, queryRows } from '../db/query.ts';

/** Has the objects deleted after so many seconds, unless `keepObject` comes before. */
export async function scheduleDeletion(
  db: Db,
  keys: readonly string[],
  seconds: number,
): Promise<void> {
  if (keys.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into object_deletion (key, due_at)
    select key, now() + ${seconds}::int * interval '1 second' from unnest(${texts(keys)}) key
    on conflict (key) do nothing`,
  );
}

/** Has an object deleted now that was to be deleted later. */
export const hastenDeletion = (db: Db, key: string): Promise<unknown> =>
  queryRows(db, sql`update object_deletion set due_at = now() where key = ${key}`);

/** Makes the object the place of an original, with the commit. Returns false when it has been deleted meanwhile. */
export async function keepObject(db: Db, sha256: Uint8Array, key: string): Promise<boolean> {
  const kept = await queryRows(
    db,
    { key: column.text },
    sql`delete from object_deletion where key = ${key} returning key`,
  );
  if (kept.length === 0) return false;
  await scheduleNamed(db, sha256, 0);
  await queryRows(
    db,
    sql`update original set object_key = ${key}, path = null where sha256 = ${sha256}`,
  );
  return true;
}

/** Makes the file in the data folder the place of an original again; its object is deleted after so many seconds. */
export async function leaveObject(db: Db, sha256: Uint8Array, seconds: number): Promise<void> {
  await scheduleNamed(db, sha256, seconds);
  await queryRows(db, sql`update original set object_key = null where sha256 = ${sha256}`);
}

/** Has the object of an original deleted after so many seconds, if it has one. */
async function scheduleNamed(db: Db, sha256: Uint8Array, seconds: number): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into object_deletion (key, due_at)
    select object_key, now() + ${seconds}::int * interval '1 second' from original
    where sha256 = ${sha256} and object_key is not null
    on conflict (key) do nothing`,
  );
}

const NAMED_COLUMNS = {
  /** Hex. */
  sha256: column.text,
  key: column.text,
  /** Bytes. */
  size: column.float,
};

export type NamedObject = InferRow<typeof NAMED_COLUMNS>;

/** Returns the objects of originals whose bytes are not doubted, of a range of digests (`end`: exclusive). */
export const listNamed = (
  db: Db,
  { start, end }: { readonly start: Uint8Array; readonly end: Uint8Array | undefined },
): Promise<NamedObject[]> =>
  queryRows(
    db,
    NAMED_COLUMNS,
    sql`
    select encode(sha256, 'hex') as sha256, object_key as key, size::float8 as size from original
    where object_key is not null and missing_at is null and sha256 >= ${start}
      ${end ? sql`and sha256 < ${end}` : sql``}`,
  );

/** Records that the object of an original is not there, unless the original has another one by now. */
export async function markMissing(db: Db, { sha256, key }: NamedObject): Promise<void> {
  await queryRows(
    db,
    sql`
    update original set missing_at = now()
    where sha256 = decode(${sha256}, 'hex') and object_key = ${key} and missing_at is null`,
  );
}

/** Returns those of the keys that no original names and no deletion. */
export async function filterUnknown(db: Db, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`
    select key from unnest(${texts(keys)}) key
    where not exists (select from object_deletion known where known.key = key.key)
      and not exists (select from original
        where sha256 = decode(split_part(split_part(key.key, '/', 4), '-', 1), 'hex')
          and object_key = key.key)`,
  );
  return rows.map(({ key }) => key);
}

/**
 * Makes an object that nobody names the place of its original, if that is a file that is not there. Returns whether it
 * is. An old backup of the database does not know that an original was moved.
 */
export async function adoptObject(db: Db, { sha256, key, size }: NamedObject): Promise<boolean> {
  const adopted = await queryRows(
    db,
    { key: column.text },
    sql`
    update original set object_key = ${key}, missing_at = null
    where sha256 = decode(${sha256}, 'hex') and size = ${size} and path is null and object_key is null
    returning object_key as key`,
  );
  return adopted.length > 0;
}

const SUM_COLUMNS = {
  files: column.float,
  /** Bytes. */
  fileBytes: column.float,
  objects: column.float,
  /** Bytes. */
  objectBytes: column.float,
  /** Objects that are to be deleted. */
  deletions: column.float,
};

/** Returns how many originals are files of the data folder, and how many are objects. */
export const sumPlaces = async (db: Db): Promise<InferRow<typeof SUM_COLUMNS>> =>
  getRow(
    await queryRows(
      db,
      SUM_COLUMNS,
      sql`
      select count(*) filter (where object_key is null)::float8 as files,
        coalesce(sum(size) filter (where object_key is null), 0)::float8 as "fileBytes",
        count(object_key)::float8 as objects,
        coalesce(sum(size) filter (where object_key is not null), 0)::float8 as "objectBytes",
        (select count(*)::float8 from object_deletion) as deletions
      from original where path is null`,
    ),
  );

/** Locks an original until commit. Returns its key; null: it is a file; undefined: it is gone, or not ours. */
export async function lockKey(db: Db, sha256: Uint8Array): Promise<string | null | undefined> {
  const [row] = await queryRows(
    db,
    { key: column.text.orNull },
    sql`
    select object_key as key from original where sha256 = ${sha256} and path is null
    for no key update`,
  );
  return row && row.key;
}

/** Returns keys that are due, locked until commit; others skip them. */
export async function lockDueDeletions(db: Db, limit: number): Promise<string[]> {
  const rows = await queryRows(
    db,
    { key: column.text },
    sql`
    select key from object_deletion where due_at <= now()
    order by due_at limit ${limit} for update skip locked`,
  );
  return rows.map(({ key }) => key);
}

export const deleteDeletions = (db: Db, keys: readonly string[]): Promise<unknown> =>
  queryRows(db, sql`delete from object_deletion where key = any(${texts(keys)})`);
