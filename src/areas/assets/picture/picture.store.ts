import { checkedAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { IS_EDITED } from '../../../access/edited.ts';
import { ownAssets, visibleAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryPrepared, queryRows } from '../../../db/query.ts';

const PICTURE_COLUMNS = {
  assetId: column.uuid,
  ownerId: column.uuid,
  /** Changes with the original, its orientation and its edits. */
  revision: column.text,
  /** Displayed size in pixels; null before rendering. */
  width: column.integer.orNull,
  height: column.integer.orNull,
};

/** The subject of a region in the picture of an asset. */
export type Picture = InferRow<typeof PICTURE_COLUMNS>;

const COLUMNS = sql.raw(`asset.id as "assetId", asset.owner_id as "ownerId",
  picture_revision(asset.id) as revision, asset.width, asset.height`);

export async function findPicture(
  db: Db,
  session: Session,
  assetId: string,
): Promise<Picture | undefined> {
  const [row] = await queryPrepared(
    db,
    PICTURE_COLUMNS,
    sql`select ${COLUMNS} from ${visibleAssets(db, session, 'any')} where asset.id = ${assetId}`,
  );
  return row;
}

/** Returns the picture of the caller's own asset and locks the asset's row until commit. */
export async function lockOwnPicture(
  db: Db,
  session: Session,
  assetId: string,
): Promise<Picture | undefined> {
  const [row] = await queryRows(
    db,
    PICTURE_COLUMNS,
    sql`select ${COLUMNS} from ${ownAssets(db, session, 'any')} where asset.id = ${assetId}`,
  );
  return row && lockPicture(db, assetId);
}

/** Returns whether the owner has edited the picture of an asset. */
export async function isEdited(db: Db, assetId: string): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`select 1 from ${checkedAssets} where id = ${assetId} and ${IS_EDITED}`,
  );
  return rows.length > 0;
}

/** Locks the picture of any asset, for jobs. */
export async function lockPicture(db: Db, assetId: string): Promise<Picture | undefined> {
  await queryRows(db, sql`select 1 from ${checkedAssets} where id = ${assetId} for no key update`);
  // A separate statement, which sees the changes of the transactions it waited for.
  const [row] = await queryRows(
    db,
    PICTURE_COLUMNS,
    sql`select ${COLUMNS} from ${checkedAssets} where id = ${assetId}`,
  );
  return row;
}
