import type { AssetType } from '../../db/tables/assets.ts';
import { backgroundAssets, checkedAssets } from '../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

/** A video, for those who show or change what was found in it. */
const VIDEO_COLUMNS = {
  assetId: column.uuid,
  ownerId: column.uuid,
  type: column.text.as<AssetType>(),
  durationMs: column.integer.orNull,
  /** Changes with the original, its orientation and its edits. */
  revision: column.text,
  isLocked: column.boolean,
  /** The file cannot be decoded. */
  isBroken: column.boolean,
};
export type Video = InferRow<typeof VIDEO_COLUMNS>;

const COLUMNS = sql.raw(`asset.id as "assetId", asset.owner_id as "ownerId", asset.type,
  asset.duration_ms as "durationMs", picture_revision(asset.id) as revision,
  asset.locked_at is not null as "isLocked", asset.broken_reason is not null as "isBroken"`);

/** Returns an asset of any type that the session may see by its id. */
export async function findVideo(
  db: Db,
  session: Session,
  assetId: string,
): Promise<Video | undefined> {
  const [row] = await queryRows(
    db,
    VIDEO_COLUMNS,
    sql`select ${COLUMNS} from ${visibleAssets(db, session, 'any')} where asset.id = ${assetId}`,
  );
  return row;
}

/** Locks the caller's own asset until the transaction ends. */
export async function lockOwnVideo(
  db: Db,
  session: Session,
  assetId: string,
): Promise<Video | undefined> {
  const [own] = await queryRows(
    db,
    VIDEO_COLUMNS,
    sql`select ${COLUMNS} from ${ownAssets(db, session, 'any')} where asset.id = ${assetId}`,
  );
  if (!own) return undefined;
  await queryRows(db, sql`select 1 from ${checkedAssets} where id = ${assetId} for no key update`);
  // A separate statement sees the changes of transactions it waited for.
  const [row] = await queryRows(
    db,
    VIDEO_COLUMNS,
    sql`select ${COLUMNS} from ${checkedAssets} where id = ${assetId}`,
  );
  return row;
}

export type VideoSubject = Omit<Video, 'isLocked'> & {
  /** Hex. */
  readonly sha256: string;
};

/** Returns a video of any owner and state, for background jobs; no videos of live photos. */
export async function findVideoSubject(db: Db, assetId: string): Promise<VideoSubject | undefined> {
  const [row] = await queryRows(
    db,
    {
      revision: column.text,
      ownerId: column.uuid,
      type: column.text.as<'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER'>(),
      durationMs: column.integer.orNull,
      assetId: column.uuid,
      isBroken: column.boolean,
      sha256: column.text,
      isLocked: column.boolean,
    },
    sql`
    select ${COLUMNS}, encode(asset.sha256, 'hex') as sha256 from ${backgroundAssets}
    where asset.id = ${assetId} and asset.type = 'VIDEO' and asset.visibility <> 'hidden'`,
  );
  return row;
}
