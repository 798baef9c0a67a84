import { backgroundAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { deleteAssetsWithFiles } from './removal.store.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/**
 * Deletes up to `limit` assets of a deleted user, in any state; their files are deleted by a job.
 * Returns their number. Call it, each time in a transaction, until it returns 0.
 */
export async function deleteAssetsOfOwner(db: Db, ownerId: string, limit: number): Promise<number> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from ${backgroundAssets} where owner_id = ${ownerId} limit ${limit}`,
  );
  if (rows.length > 0)
    await deleteAssetsWithFiles(
      db,
      rows.map((row) => row.id),
    );
  return rows.length;
}

/** The same for the items of an external library. */
export async function deleteAssetsOfLibrary(
  db: Db,
  libraryId: string,
  limit: number,
): Promise<number> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`select id from ${backgroundAssets} where library_id = ${libraryId} limit ${limit}`,
  );
  const ids = rows.map((row) => row.id);
  if (ids.length > 0) await deleteAssetsWithFiles(db, ids);
  return ids.length;
}

export async function hasAssets(db: Db, ownerId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select from ${backgroundAssets} where owner_id = ${ownerId} limit 1`,
  );
  return rows.length > 0;
}
