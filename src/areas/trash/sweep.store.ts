import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

const bytes = (hashes: readonly string[]) =>
  sql`array(select decode(hash, 'hex') from unnest(${`{${hashes.join(',')}}`}::text[]) hash)`;

/** Those of `hashes` (hex) that no row of `original` names. */
export async function filterUnnamed(db: Db, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await db.execute<{ hash: string }>(sql`
    select encode(given.hash, 'hex') as hash from unnest(${bytes(hashes)}) given (hash)
    where not exists (select from original where original.sha256 = given.hash)`);
  return rows.map((row) => row.hash);
}

/**
 * Takes the rows of these originals, which nobody has, until commit: an upload that is about to commit
 * one of them keeps it, one that comes later waits. Returns those that are ours; `releaseOriginals`
 * removes their rows again.
 */
export async function claimOriginals(db: Db, hashes: readonly string[]): Promise<string[]> {
  const rows = await db.execute<{ hash: string }>(sql`
    insert into original (sha256, size)
    select given.hash, 0 from unnest(${bytes(hashes)}) given (hash) order by 1
    on conflict do nothing returning encode(sha256, 'hex') as hash`);
  return rows.map((row) => row.hash);
}

export async function releaseOriginals(db: Db, hashes: readonly string[]): Promise<void> {
  await db.execute(sql`delete from original where sha256 = any(${bytes(hashes)})`);
}

/** The names of derived files that rows of these ids (assets or persons) have. */
export async function findDerivedNames(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ name: string }>(sql`
    select name from asset_file where asset_id = any(${uuids(ids)})
    union all select name from video_frame where asset_id = any(${uuids(ids)})`);
  return new Set(rows.map((row) => row.name));
}

/** Those of `ids` that are persons: their picture is named after them. */
export async function findPersons(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.execute<{ id: string }>(
    sql`select id from person where id = any(${uuids(ids)})`,
  );
  return new Set(rows.map((row) => row.id));
}
