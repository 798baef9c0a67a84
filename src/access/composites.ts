import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../db/arrays.ts';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';
import { visibleAssets } from './scope.ts';
import type { UserSession } from './session.ts';

// Composites are archives, films and frames of films: files that are made of several assets, which are kept with
// them. Nobody gets the file who may not see all of these now. The triggers of migrations/0033_composites.sql end a
// composite with the lock, the trash or the deletion of one of its assets. What its account may not see any more for
// another reason (a partner, an album, the archive of somebody else) is ended when the file is asked for, or by the
// cleaning jobs.

/**
 * Returns the assets that composites may be made of, as a table "asset": what the session may see without the PIN and
 * outside the trash. An unlocked session makes no difference, since a file that was downloaded knows no PIN.
 */
export const sourceAssets = (db: Db, session: UserSession): SQL => sql`(
  select * from ${visibleAssets(db, { ...session, unlocked: false }, 'any')}
  where asset.trashed_at is null) asset`;

/** Returns the condition that the session may see all assets of "operation_file". One whose assets are not known: false. */
export function seesSources(db: Db, session: UserSession): SQL {
  // A scalar subquery: each asset is looked up, whatever the planner knows of the table.
  return sql`(operation_file.source_count = (
    select count(*) from composite_source source where source.composite_id = operation_file.id
      and (select true from ${sourceAssets(db, session)} where asset.id = source.asset_id))) is true`;
}

/** Saves of which assets a composite is made, in place of those before. The caller saves their number in its row. */
export async function saveSources(
  db: Db,
  compositeId: string,
  assetIds: Iterable<string>,
): Promise<void> {
  await queryRows(db, sql`delete from composite_source where composite_id = ${compositeId}::uuid`);
  await queryRows(
    db,
    sql`
    insert into composite_source (composite_id, asset_id)
    select ${compositeId}::uuid, unnest(${uuids([...assetIds])})`,
  );
}

/** Ends composites for good: the caller deletes their files, or leaves that to the cleaning jobs. */
export async function withdrawComposites(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await queryRows(db, sql`select withdraw_composites(${uuids(ids)})`);
}
