import { unscopedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { removeAssets } from './removal.store.ts';

/**
 * Deletes some of what a removed account has, whatever its state; its files go in the background.
 * Answers how many there were; call it, in a transaction each, until there are none.
 */
export async function removeAssetsOf(db: Db, ownerId: string, limit: number): Promise<number> {
  const rows = await db.execute<{ id: string }>(sql`
    select id from ${unscopedAssets} where owner_id = ${ownerId} limit ${limit}`);
  if (rows.length > 0)
    await removeAssets(
      db,
      rows.map((row) => row.id),
    );
  return rows.length;
}

export async function hasAssets(db: Db, ownerId: string): Promise<boolean> {
  const rows = await db.execute(
    sql`select from ${unscopedAssets} where owner_id = ${ownerId} limit 1`,
  );
  return rows.length > 0;
}
