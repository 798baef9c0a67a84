import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

const decodeHashes = (hashes: readonly string[]) =>
  sql`array(select decode(hash, 'hex') from unnest(${`{${hashes.join(',')}}`}::text[]) hash)`;

/** Returns those of `hashes` (hex) without a row in `original`. */
export async function filterUnreferenced(db: Db, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    select encode(given.hash, 'hex') as hash from unnest(${decodeHashes(hashes)}) given (hash)
    where not exists (select from original where original.sha256 = given.hash)`,
  );
  return rows.map((row) => row.hash);
}

/**
 * Inserts rows for these unreferenced originals, which locks them until commit: an upload that has one
 * keeps it, a later one waits. Returns the claimed hashes; `releaseOriginals` deletes their rows.
 */
export async function claimOriginals(db: Db, hashes: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { hash: column.text },
    sql`
    insert into original (sha256, size)
    select given.hash, 0 from unnest(${decodeHashes(hashes)}) given (hash) order by 1
    on conflict do nothing returning encode(sha256, 'hex') as hash`,
  );
  return rows.map((row) => row.hash);
}

export async function releaseOriginals(db: Db, hashes: readonly string[]): Promise<void> {
  await queryRows(db, sql`delete from original where sha256 = any(${decodeHashes(hashes)})`);
}

/** Returns the names of derived files of these assets. */
export async function findDerivedNames(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { name: column.text },
    sql`
    select name from asset_file where asset_id = any(${uuids(ids)})
    union all select name from video_frame where asset_id = any(${uuids(ids)})`,
  );
  return new Set(rows.map((row) => row.name));
}

/** Returns those of `ids` that are people, whose thumbnails are named after them. */
export async function findPersons(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select id from person where id = any(${uuids(ids)})`,
  );
  return new Set(rows.map((row) => row.id));
}
