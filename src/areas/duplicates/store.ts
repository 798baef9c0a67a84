import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

export type Reader = {
  readonly db: Db;
  readonly session: UserSession;
};

/** Best first: the largest file, then the one that says most about itself. */
export async function rankByQuality(
  { db, session }: Reader,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await db.execute<{ id: string }>(sql`
    select asset.id from ${ownAssets(db, session, 'library')}
    left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})
    order by asset.file_size desc,
      num_nonnulls(exif.make, exif.model, exif.lens_model, exif.f_number, exif.focal_length, exif.iso,
        exif.exposure_time, exif.date_time_original, exif.latitude, exif.city, exif.rating,
        nullif(exif.description, '')) desc, asset.id`);
  return rows.map(({ id }) => id);
}

/** What was decided under these names is open again; others are passed over. */
export async function removeDecisions(
  { db, session }: Reader,
  fingerprints: readonly string[],
): Promise<void> {
  await db.execute(sql`
    delete from duplicate_decision
    where owner_id = ${session.userId} and fingerprint = any(${uuids(fingerprints)})`);
}
