import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Returns the newest items of the library by capture time. */
export async function listNewest(db: Db, session: UserSession, limit: number): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid, taken_at: column.timestamptz },
    sql`
    (select asset.id, asset.taken_at from ${ownAssets(db, session, 'timeline')}
      order by asset.taken_at desc, asset.id desc limit ${limit})
    union all
    (select asset.id, asset.taken_at from ${ownAssets(db, session, 'archive')}
      order by asset.taken_at desc, asset.id desc limit ${limit})
    order by taken_at desc, id desc limit ${limit}`,
  );
  return rows.map((row) => row.id);
}
