import { type SQL, sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** Returns those of the assets with a run that waits for recognition. */
export const listWaitingAmong = (db: Db, assetIds: readonly string[]): Promise<string[]> =>
  listWaiting(db, sql`asset_id = any(${uuids(assetIds)})`);

/** The same for the assets with these faces. */
export const listWaitingByFaces = (db: Db, faceIds: readonly string[]): Promise<string[]> =>
  listWaiting(
    db,
    sql`asset_id in (select face.asset_id from face where face.id = any(${uuids(faceIds)}))`,
  );

async function listWaiting(db: Db, condition: SQL): Promise<string[]> {
  const rows = await queryRows(
    db,
    { assetId: column.uuid },
    sql`
    select distinct asset_id as "assetId" from workflow_run
    where result is null and waits_for is not null and ${condition}`,
  );
  return rows.map((row) => row.assetId);
}
