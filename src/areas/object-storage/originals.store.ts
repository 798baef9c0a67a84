import { sql } from 'drizzle-orm';
import { texts } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

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
