import { sql } from 'drizzle-orm';
import { sourceAssets } from '../../../access/composites.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';

/** An asset as a project may show it. */
const SOURCE_COLUMNS = {
  id: column.uuid,
  type: column.text.as<'IMAGE' | 'VIDEO'>(),
  /** Hex. */
  sha256: column.text,
  /** Name in the derived folder; the edited picture goes first. Null: there is none yet. */
  picture: column.text.orNull,
};
export type SourceAsset = InferRow<typeof SOURCE_COLUMNS>;

/** Returns those of `ids` that a project may show the session, by id. */
export async function findSourceAssets(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<Map<string, SourceAsset>> {
  if (ids.length === 0) return new Map();
  const rows = await queryRows(
    db,
    SOURCE_COLUMNS,
    sql`
    select asset.id, asset.type, encode(asset.sha256, 'hex') as sha256, (
      select name from asset_file
      where asset_id = asset.id and kind in ('edited_preview', 'preview') order by kind limit 1
    ) as picture
    from ${sourceAssets(db, session)}
    where asset.id = any(${uuids(ids)}) and asset.type in ('IMAGE', 'VIDEO')
      and asset.broken_reason is null`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
