import { unscopedAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';

// asset.state_revision is the version of an item for whoever undoes an earlier change of it: a trigger
// raises it with every move between shelves and every change of the favorite, whoever writes what else
// the owner decides (description, rating, date, place, tags, edits) raises it with this. What machines
// find out about an item does not count.

/** For the `set` of an update of asset; with a move in the same update it still counts once. */
export const NEXT_ROW_VERSION = sql`asset.state_revision + 1`;

/**
 * For changes that are written into other tables. The caller has locked the assets. Undoing compares
 * what a move took away from the Timeline; where nothing was moved, tagging thousands writes no row.
 */
export async function incrementRowVersions(db: Db, ids: Iterable<string>): Promise<void> {
  const changed = [...ids];
  if (changed.length === 0) return;
  await db.execute(
    sql`update ${unscopedAssets} set state_revision = ${NEXT_ROW_VERSION} where id = any(${uuids(changed)})
      and (visibility <> 'timeline' or trashed_at is not null)`,
  );
}
