import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';

export type ExportableAsset = {
  readonly id: string;
  /** Bytes of the original. */
  readonly size: number;
  /** The video half of a live photo. */
  readonly liveVideoId: string | null;
};

/** Returns those of `ids` that may be exported: the caller's own on the Timeline, never Locked ones. */
export async function findExportable(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<ExportableAsset[]> {
  const asset = ownAssets(db, { ...session, unlocked: false }, 'timeline');
  return db
    .select({ id: asset.id, size: asset.fileSize, liveVideoId: asset.liveVideoId })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`);
}
