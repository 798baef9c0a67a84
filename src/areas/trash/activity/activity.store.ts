import { checkedAssets } from '../../../access/unscoped.ts';
import { sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { utilityActivities } from '../../../db/tables/trash.ts';
import type { Tool } from '../schemas.ts';
import { uuids } from '../../../db/arrays.ts';
import { keepLimit } from '../../../db/limits/keep-limit.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';

export async function insertActivity(
  db: Db,
  activity: typeof utilityActivities.$inferInsert,
  assetIds: readonly string[],
): Promise<string> {
  const scope = { ownerId: activity.userId, rows: assetIds.length };
  return keepLimit({ db }, 'utilityItem', scope, async ({ db }) => {
    const row = getRow(
      await db.insert(utilityActivities).values(activity).returning({ id: utilityActivities.id }),
    );
    await queryRows(
      db,
      sql`
      insert into utility_activity_asset (activity_id, asset_id, position)
      select ${row.id}::uuid, id, place
      from unnest(${uuids(assetIds)}) with ordinality moved (id, place)`,
    );
    return row.id;
  });
}

export async function filterNotTrashed(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select chosen.id from unnest(${uuids(ids)}) with ordinality chosen (id, place)
    join ${checkedAssets} on asset.id = chosen.id and asset.trashed_at is null order by place`,
  );
  return rows.map((row) => row.id);
}

const UNDONE_MOVE_COLUMNS = {
  tool: column.text.as<Tool>(),
  ids: column.uuidArray,
  bytes: column.numeric,
};

export type UndoneMove = InferRow<typeof UNDONE_MOVE_COLUMNS>;

/** Returns those of these trashed items that utilities moved there, by move, largest first. */
export async function listMovesByAssets(
  db: Db,
  userId: string,
  ids: readonly string[],
): Promise<UndoneMove[]> {
  return queryRows(
    db,
    UNDONE_MOVE_COLUMNS,
    sql`
    select activity.tool, array_agg(asset.id order by moved.position) as ids,
      sum(asset.file_size) as bytes
    from utility_activity activity
    join utility_activity_asset moved on moved.activity_id = activity.id
    join ${checkedAssets} on asset.id = moved.asset_id and asset.trashed_at = activity.created_at
    where activity.user_id = ${userId} and activity.action = 'trashed'
      and moved.asset_id = any(${uuids(ids)})
    group by activity.id order by count(*) desc, activity.created_at desc`,
  );
}

const ACTIVITY_VIEW_COLUMNS = {
  id: column.uuid,
  action: column.text.as<'trashed' | 'undone'>(),
  count: column.integer,
  bytes: column.bigint,
  at: column.timestamptz,
};

export type ActivityView = InferRow<typeof ACTIVITY_VIEW_COLUMNS>;

/**
 * Lists the newest activities until they have `maxAssets` assets together, always including the newest.
 */
export async function listActivities(
  db: Db,
  wanted: {
    readonly userId: string;
    readonly tool: Tool;
    readonly since: Date;
    readonly limit: number;
    readonly maxAssets: number;
  },
): Promise<ActivityView[]> {
  const { userId, tool, since, limit, maxAssets } = wanted;
  return queryRows(
    db,
    ACTIVITY_VIEW_COLUMNS,
    sql`
    select id, action, asset_count as count, bytes, created_at as at from (
      select *, sum(asset_count) over (order by created_at desc, id) - asset_count as before
      from (
        select * from utility_activity
        where user_id = ${userId} and tool = ${tool} and created_at > ${since.toISOString()}
        order by created_at desc, id limit ${limit}
      ) newest
    ) summed
    where before = 0 or before + asset_count <= ${maxAssets}
    order by created_at desc, id`,
  );
}

const ACTIVITY_ASSET_COLUMNS = {
  activityId: column.uuid,
  id: column.uuid,
  name: column.text,
  isTrashed: column.boolean,
  /** In the trash because of this move. */
  isMoved: column.boolean,
};

export type ActivityAsset = InferRow<typeof ACTIVITY_ASSET_COLUMNS>;

export async function listActivityAssets(
  { db, session }: { readonly db: Db; readonly session: Session },
  activityIds: readonly string[],
): Promise<ActivityAsset[]> {
  return queryRows(
    db,
    ACTIVITY_ASSET_COLUMNS,
    sql`
    select moved.activity_id as "activityId", asset.id, asset.file_name as name,
      asset.trashed_at is not null as "isTrashed",
      activity.action = 'trashed' and asset.trashed_at is not distinct from activity.created_at
        as "isMoved"
    from utility_activity_asset moved
    join utility_activity activity on activity.id = moved.activity_id
    join ${ownAssets(db, session, 'any', { suppressed: 'out' })} on asset.id = moved.asset_id
    where moved.activity_id = any(${uuids(activityIds)})
    order by moved.activity_id, moved.position`,
  );
}
