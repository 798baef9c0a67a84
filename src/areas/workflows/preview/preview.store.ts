import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** `takenAt` is PostgreSQL's text. */
const PLACE_COLUMNS = { id: column.uuid, takenAt: column.timestamptz };
export type Place = InferRow<typeof PLACE_COLUMNS>;

/** Returns the newest items of the library by capture time, those after a place in this order if it is given. */
export async function listNewest(
  db: Db,
  session: UserSession,
  limit: number,
  after: Place | undefined,
): Promise<Place[]> {
  const isAfter = after
    ? sql`where (asset.taken_at, asset.id) < (${after.takenAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  return queryRows(
    db,
    PLACE_COLUMNS,
    sql`
    (select asset.id, asset.taken_at as "takenAt" from ${ownAssets(db, session, 'timeline')} ${isAfter}
      order by asset.taken_at desc, asset.id desc limit ${limit})
    union all
    (select asset.id, asset.taken_at as "takenAt" from ${ownAssets(db, session, 'archive')} ${isAfter}
      order by asset.taken_at desc, asset.id desc limit ${limit})
    order by "takenAt" desc, id desc limit ${limit}`,
  );
}
