import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { users } from '../../db/tables/identity.ts';
import { libraries, type LibraryRow } from '../../db/tables/libraries.ts';
import { backgroundAssets } from '../../access/unscoped.ts';
import { scanLibrary } from './jobs.ts';

export type CountedLibrary = { readonly library: LibraryRow; readonly assets: number };

const assetCount = sql<number>`(
  select count(*)::int from ${backgroundAssets} where asset.library_id = library.id)`;

/** Returns the libraries of all accounts, oldest first. */
export const listLibraries = (db: Db): Promise<CountedLibrary[]> =>
  db
    .select({ library: libraries, assets: assetCount })
    .from(libraries)
    .where(isNull(libraries.deletedAt))
    .orderBy(asc(libraries.createdAt), asc(libraries.id));

export async function findLibrary(db: Db, id: string): Promise<CountedLibrary | undefined> {
  const [row] = await db
    .select({ library: libraries, assets: assetCount })
    .from(libraries)
    .where(and(eq(libraries.id, id), isNull(libraries.deletedAt)));
  return row;
}

/** Locks a library until the transaction ends, so that its scans and changes wait for each other. */
export const lockLibrary = (db: Db, id: string): Promise<LibraryRow | undefined> =>
  selectLocked(db, id, 'update');

/**
 * Returns a library that is neither deleted nor locked by `lockLibrary` until the transaction ends. Transactions that
 * take in different files of it need not wait for each other.
 */
export const shareLibrary = (db: Db, id: string): Promise<LibraryRow | undefined> =>
  selectLocked(db, id, 'key share');

async function selectLocked(
  db: Db,
  id: string,
  strength: 'update' | 'key share',
): Promise<LibraryRow | undefined> {
  const [row] = await db
    .select()
    .from(libraries)
    .where(and(eq(libraries.id, id), isNull(libraries.deletedAt)))
    .for(strength);
  return row;
}

/** Returns the patterns of a library; undefined if it is deleted. */
export async function findExclusions(db: Db, id: string): Promise<string[] | undefined> {
  const [row] = await db
    .select({ patterns: libraries.exclusionPatterns })
    .from(libraries)
    .where(and(eq(libraries.id, id), isNull(libraries.deletedAt)));
  return row?.patterns;
}

export async function hasAccount(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return rows.length > 0;
}

export async function insertLibrary(
  db: Db,
  library: typeof libraries.$inferInsert,
): Promise<LibraryRow> {
  const row = getRow(await db.insert(libraries).values(library).returning());
  return row;
}

export async function updateLibrary(
  db: Db,
  id: string,
  change: Partial<typeof libraries.$inferInsert>,
): Promise<void> {
  await db.update(libraries).set(change).where(eq(libraries.id, id));
}

/** Lets contents that are read from files of this library be read from files of others that have them. */
export async function readElsewhere(db: Db, libraryId: string): Promise<void> {
  await queryRows(
    db,
    sql`
    with elsewhere as (
      update original set path = other.path
      from library_file file, library_file other
      where file.library_id = ${libraryId}::uuid and original.sha256 = file.sha256
        and original.path = file.path and other.sha256 = file.sha256
        and other.library_id <> file.library_id and other.unseen_at is null
      returning original.path
    )
    update library_file set is_released = false from elsewhere
    where library_file.path = elsewhere.path and library_file.is_released`,
  );
}

export async function deleteLibraryRow(db: Db, id: string): Promise<void> {
  await db.delete(libraries).where(eq(libraries.id, id));
}

const LIBRARY_STATISTICS_COLUMNS = {
  photos: column.integer,
  videos: column.integer,
  usage: column.float,
};
export type LibraryStatistics = InferRow<typeof LIBRARY_STATISTICS_COLUMNS>;

export async function readStatistics(db: Db, id: string): Promise<LibraryStatistics> {
  const row = getRow(
    await queryRows(
      db,
      LIBRARY_STATISTICS_COLUMNS,
      sql`
    select count(*) filter (where asset.type = 'IMAGE' and asset.visibility <> 'hidden')::int as photos,
      count(*) filter (where asset.type = 'VIDEO' and asset.visibility <> 'hidden')::int as videos,
      coalesce(sum(asset.file_size), 0)::float8 as usage
    from ${backgroundAssets} where asset.library_id = ${id}::uuid`,
    ),
  );
  return row;
}

const FILE_COUNTS_COLUMNS = {
  missing: column.integer,
  unread: column.integer,
  refused: column.integer,
};
export type FileCounts = InferRow<typeof FILE_COUNTS_COLUMNS>;

export async function countFiles(db: Db, id: string): Promise<FileCounts> {
  const row = getRow(
    await queryRows(
      db,
      FILE_COUNTS_COLUMNS,
      sql`
    select count(*) filter (where missing_at is not null)::int as missing,
      count(*) filter (where sha256 is null and error is null and unseen_at is null)::int as unread,
      count(*) filter (where error is not null)::int as refused
    from library_file where library_id = ${id}::uuid`,
    ),
  );
  return row;
}

export async function isBeingScanned(db: Db, id: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select from job where name = ${scanLibrary.name} and unique_key = ${id} and state = 'running'`,
  );
  return rows.length > 0;
}
