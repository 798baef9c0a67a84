import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { insertItems, selectPosition } from '../../operations/batches.store.ts';

/** Saves the caller's whole Timeline as the items of an operation. Returns their number. */
export async function freezeTimeline(
  { db, session }: { readonly db: Db; readonly session: Session },
  operationId: string,
): Promise<number> {
  const row = getRow(
    await queryRows(
      db,
      { count: column.bigint },
      sql`
    with item as materialized (
      select asset.id, null::int as state_revision, ${selectPosition()}
      from ${ownAssets(db, session, 'timeline')}
    ), kept as (${insertItems(operationId)})
    select count(*) as count from item`,
    ),
  );
  return Number(row.count);
}
