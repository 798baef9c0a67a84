import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** Returns those of the account's items that are in its library, also the ones that its rules leave out of lists. */
export async function filterListed(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from ${ownAssets(db, session, 'library', { suppressed: 'in' })}
    where asset.id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}
