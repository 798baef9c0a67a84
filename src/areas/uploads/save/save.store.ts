import { and, sql } from 'drizzle-orm';
import { visibleAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import type { MediaType } from '../../../media/formats.ts';

const SOURCE_COLUMNS = {
  ownerId: column.uuid,
  type: column.text.as<MediaType>(),
  fileName: column.text,
  /** Hex, as sha256. */
  sha1: column.text,
  sha256: column.text,
  takenAt: column.timestamptz,
  fileModifiedAt: column.timestamptz,
  liveVideoId: column.uuid.orNull,
  /** Whether the session may know where it was taken, which the original tells. */
  showsPlace: column.boolean,
};

export type SaveSource = InferRow<typeof SOURCE_COLUMNS>;

export type SourceKind = 'shown' | 'liveVideo';

/**
 * Returns an asset that the session sees and that is neither Locked nor in the trash. Undefined for others,
 * and for hidden ones unless it is asked for the video of a live photo.
 */
export async function findSource(
  db: Db,
  session: Session,
  id: string,
  kind: SourceKind,
): Promise<SaveSource | undefined> {
  const asset = visibleAssets(db, session, 'any');
  const isWanted = [
    sql`asset.id = ${id}::uuid`,
    sql`asset.locked_at is null and asset.trashed_at is null`,
    kind === 'shown' ? sql`asset.visibility <> 'hidden'` : undefined,
  ];
  const [row] = await queryRows(
    db,
    SOURCE_COLUMNS,
    sql`
    select asset.owner_id as "ownerId", asset.type, asset.file_name as "fileName",
      encode(asset.sha1, 'hex') as sha1, encode(asset.sha256, 'hex') as sha256,
      asset.taken_at as "takenAt", asset.file_modified_at as "fileModifiedAt",
      asset.live_video_id as "liveVideoId", asset.shows_place as "showsPlace"
    from ${asset} where ${and(...isWanted)}`,
  );
  return row;
}
