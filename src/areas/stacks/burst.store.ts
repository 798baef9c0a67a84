import { sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

const BURST_MEMBER_COLUMNS = {
  id: column.uuid,
  takenMs: column.float,
  stackId: column.uuid.orNull,
  /** The top item of its stack. */
  isPrimary: column.boolean,
};

export type BurstMember = InferRow<typeof BURST_MEMBER_COLUMNS>;

/** Cameras that mark bursts write them within this time. */
const MARKED_SECONDS = 60;
const MAX_MEMBERS = 500;

/**
 * Returns the photos of the burst of an asset, earliest first: those with its burst identifier or, where
 * the camera writes none, those that the same camera took within `seconds`. They are seen like the asset:
 * in the Timeline or in the archive, without locked and trashed ones.
 */
export const listBurst = (
  db: Db,
  session: UserSession,
  assetId: string,
  seconds: number,
): Promise<BurstMember[]> =>
  queryRows(
    db,
    BURST_MEMBER_COLUMNS,
    sql`
    with shot as (
      select asset.taken_at, asset.visibility, exif.make, exif.model, exif.burst_id,
        make_interval(secs => case when exif.burst_id is null then ${seconds}::float8
          else ${MARKED_SECONDS}::float8 end) as span
      from ${ownAssets(db, session, 'library')} join asset_exif exif on exif.asset_id = asset.id
      where asset.id = ${assetId}::uuid and asset.type = 'IMAGE')
    select asset.id, date_part('epoch', asset.taken_at) * 1000 as "takenMs",
      asset.stack_id as "stackId", coalesce(stack.primary_id = asset.id, false) as "isPrimary"
    from shot, ${ownAssets(db, session, 'library')} join asset_exif exif on exif.asset_id = asset.id
      left join stack on stack.id = asset.stack_id
    where asset.type = 'IMAGE' and asset.visibility = shot.visibility
      and asset.taken_at between shot.taken_at - shot.span and shot.taken_at + shot.span
      and exif.burst_id is not distinct from shot.burst_id
      and (shot.burst_id is not null
        or (exif.model = shot.model and exif.make is not distinct from shot.make))
    order by asset.taken_at, asset.id limit ${MAX_MEMBERS}`,
  );
