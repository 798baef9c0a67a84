import { checkedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { queryRows } from '../../db/query.ts';

// asset.state_revision is the version that an undo compares. A trigger increments it with every change
// of visibility, lock, trash or favorite; code that writes other decisions of the owner (description,
// rating, date, place, tags, edits) increments it by these. Results of jobs do not count.

/** For the `set` of an update of asset. A change that the trigger counts, too, increments it once. */
export const NEXT_ROW_VERSION = sql`asset.state_revision + 1`;

/**
 * Increments the version of assets for changes in other tables. The caller has locked the assets. Only
 * assets outside the timeline are updated: an undo compares no others.
 */
export async function incrementRowVersions(db: Db, ids: Iterable<string>): Promise<void> {
  const changed = [...ids];
  if (changed.length === 0) return;
  await queryRows(
    db,
    sql`update ${checkedAssets} set state_revision = ${NEXT_ROW_VERSION} where id = any(${uuids(changed)})
      and (visibility <> 'timeline' or trashed_at is not null)`,
  );
}
