import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import type { AssetType } from '../../../db/tables/assets.ts';
import { uuids } from '../../../db/arrays.ts';

export type Requested = { readonly type: AssetType; readonly libraryId: string | null };

/** Returns those of `ids` that the caller owns and may see. */
export async function findOwn(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Requested>> {
  const asset = ownAssets(db, session, 'any');
  const rows = await db
    .select({ id: asset.id, type: asset.type, libraryId: asset.libraryId })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`);
  return new Map(rows.map((row) => [row.id, row]));
}
