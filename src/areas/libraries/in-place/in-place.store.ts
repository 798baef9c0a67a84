import { sql } from 'drizzle-orm';
import { integers, texts } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

const REFUSAL_COLUMNS = { path: column.text, reason: column.text };
export type Refusal = InferRow<typeof REFUSAL_COLUMNS>;

/** Returns those of the files that were not taken in, by path. */
export const listRefused = (db: Db, ids: readonly number[]): Promise<Refusal[]> =>
  queryRows(
    db,
    REFUSAL_COLUMNS,
    sql`
    select path, error as reason from library_file
    where id = any(${integers(ids)}) and error is not null order by path`,
  );

const TAKEN_COLUMNS = { taken: column.integer, takenBytes: column.float };
export type Taken = InferRow<typeof TAKEN_COLUMNS>;

/** Counts the items that files have become. */
export async function sumTaken(db: Db, ids: readonly number[]): Promise<Taken> {
  const row = getRow(
    await queryRows(
      db,
      TAKEN_COLUMNS,
      sql`
    select count(*)::int as taken, coalesce(sum(size), 0)::float8 as "takenBytes"
    from library_file where id = any(${integers(ids)}) and asset_id is not null`,
    ),
  );
  return row;
}

/** Counts the items of a library whose files are below a folder. */
export async function countItems(db: Db, libraryId: string, root: string): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { items: column.integer },
      sql`
    select count(*)::int as items from library_file
    where library_id = ${libraryId}::uuid and asset_id is not null
      and path >= ${`${root}/`} and path < ${`${root}0`}`,
    ),
  );
  return row.items;
}

/** Returns the paths of those of the files that have items. */
export async function filterKnown(
  db: Db,
  libraryId: string,
  files: readonly { readonly path: string }[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { path: column.text },
    sql`
    select path from library_file
    where library_id = ${libraryId}::uuid and asset_id is not null
      and path = any(${texts(files.map(({ path }) => path))})`,
  );
  return new Set(rows.map(({ path }) => path));
}
