import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type Reader = {
  readonly db: Db;
  readonly session: UserSession;
};

/** Returns the ids by quality: the largest file first, then the one with the most metadata. */
export async function rankByQuality(
  { db, session }: Reader,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from ${ownAssets(db, session, 'library')}
    left join asset_exif exif on exif.asset_id = asset.id
    where asset.id = any(${uuids(ids)})
    order by asset.file_size desc,
      num_nonnulls(exif.make, exif.model, exif.lens_model, exif.f_number, exif.focal_length, exif.iso,
        exif.exposure_time, exif.date_time_original, exif.latitude, exif.city, exif.rating,
        nullif(exif.description, '')) desc, asset.id`,
  );
  return rows.map(({ id }) => id);
}

/** Deletes the decisions with these fingerprints; unknown ones are ignored. */
export async function removeDecisions(
  { db, session }: Reader,
  fingerprints: readonly string[],
): Promise<void> {
  await queryRows(
    db,
    sql`
    delete from duplicate_decision
    where owner_id = ${session.userId} and fingerprint = any(${uuids(fingerprints)})`,
  );
}
