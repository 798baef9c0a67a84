import { checkedAssets } from '../../../access/unscoped.ts';
import { and, type SQL, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { uuids } from '../../../db/arrays.ts';
import { column } from '../../../db/columns.ts';
import { getRow, queryRows } from '../../../db/query.ts';
import { insertItems, selectPosition } from '../../../operations/batches.store.ts';

/** The whole trash, or listed items that the move changes. */
export type MoveTarget =
  | { readonly move: Move; readonly ids: readonly string[] }
  | { readonly move: 'restore' | 'delete'; readonly ids: undefined };
export type Move = 'trash' | 'restore' | 'delete';

type SetReader = { readonly db: Db; readonly session: Session };

/** Items that an external library leaves out are in the trash for that, and come back when it does not any more. */
const isNotLeftOut = sql`not exists (
  select from library_file file where file.asset_id = asset.id and file.is_left_out and file.missing_at is not null)`;

/**
 * Returns `from … where …` of the items of a move, named asset. Review, restore and empty all use it.
 * The video of a live photo is not an item; it moves with its still.
 */
function selectItems({ db, session }: SetReader, { move, ids }: MoveTarget, more?: SQL): SQL {
  if (!ids) {
    return sql`from ${ownAssets(db, session, 'trash')} where ${and(isNotLeftOut, more)}`;
  }
  return sql`from ${ownAssets(db, session, 'any')} where ${and(
    sql`asset.id = any(${uuids(ids)})`,
    move === 'trash' ? sql`asset.trashed_at is null` : undefined,
    move === 'restore' ? and(sql`asset.trashed_at is not null`, isNotLeftOut) : undefined,
    more,
  )}`;
}

/** Digest of the sorted ids and their state revisions. */
const HASH = sql.raw(`sha256(coalesce(
  string_agg(uuid_send(id) || int4send(state_revision), ''::bytea order by id), ''::bytea))`);

/**
 * Bytes of `item` with the videos of live photos. `offset 0`, here and below, forces a lookup by id
 * when the planner's statistics are stale.
 */
const SUM_BYTES = sql`(
  (select coalesce(sum(file_size), 0) from item)
  + (select coalesce(sum(video.file_size), 0)
    from (select distinct live_video_id as id from item where live_video_id is not null) half
    cross join lateral (select file_size from ${checkedAssets} where asset.id = half.id offset 0) video))`;

const COLUMNS = sql.raw(
  'asset.id, asset.state_revision, asset.file_size, asset.sha256, asset.live_video_id',
);

/**
 * Returns the items of these ids, in their order, with the still for the video of a live photo, and how
 * many of the ids the caller owns.
 */
export async function findItems(
  { db, session }: SetReader,
  ids: readonly string[],
): Promise<{ readonly named: number; readonly ids: string[] }> {
  const rows = await queryRows(
    db,
    { named: column.uuid, id: column.uuid },
    sql`
    select asset.id as named, coalesce(still.id, asset.id) as id
    from unnest(${uuids(ids)}) with ordinality chosen (id, place)
    join ${ownAssets(db, session, 'any')} on asset.id = chosen.id
    left join lateral (select still.id, still.owner_id from ${checkedAssets} still
      where still.live_video_id = asset.id offset 0) still on still.owner_id = asset.owner_id
    order by chosen.place, still.id`,
  );
  return {
    named: new Set(rows.map((row) => row.named)).size,
    ids: [...new Set(rows.map((row) => row.id))],
  };
}

export type ItemSetSummary = {
  readonly count: number;
  readonly bytes: number;
  /** Items whose original another user's visible asset shares. */
  readonly shared: number;
  readonly hash: Uint8Array;
};

export async function reviewItems(reader: SetReader, target: MoveTarget): Promise<ItemSetSummary> {
  const { session } = reader;
  const userId = session.kind === 'user' ? session.userId : null;
  const row = getRow(
    await queryRows(
      reader.db,
      { count: column.bigint, bytes: column.numeric, shared: column.bigint, hash: column.bytea },
      sql`
    with item as materialized (select ${COLUMNS} ${selectItems(reader, target)})
    select count(*) as count, ${SUM_BYTES} as bytes, ${HASH} as hash,
      count(*) filter (where exists (
        select from ${visibleAssets(reader.db, session, 'any')}
        where asset.sha256 = item.sha256 and asset.owner_id <> ${userId})
      ) as shared
    from item`,
    ),
  );
  const { count, bytes, shared, hash } = row;
  return { count: Number(count), bytes: Number(bytes), shared: Number(shared), hash };
}

export type LockedItems = {
  readonly count: number;
  readonly bytes: number;
  readonly hash: Uint8Array;
  readonly ids: readonly string[];
};

/**
 * Locks the items until commit and returns them, or returns undefined when there are more than `limit`.
 */
export async function lockItems(
  reader: SetReader,
  target: MoveTarget,
  limit: number,
): Promise<LockedItems | undefined> {
  const found = await queryRows(
    reader.db,
    { id: column.uuid },
    sql`select asset.id ${selectItems(reader, target)} limit ${limit + 1}`,
  );
  if (found.length > limit) return undefined;
  const isFound = sql`asset.id = any(${uuids(found.map((row) => row.id))})`;
  const row = getRow(
    await queryRows(
      reader.db,
      { count: column.bigint, bytes: column.numeric, hash: column.bytea, ids: column.uuidArray },
      sql`
    with item as materialized (
      select ${COLUMNS} ${selectItems(reader, target, isFound)} order by asset.id for no key update
    )
    select count(*) as count, ${SUM_BYTES} as bytes, ${HASH} as hash,
      coalesce(array_agg(id order by id), '{}') as ids
    from item`,
    ),
  );
  const { count, bytes, hash, ids } = row;
  return { count: Number(count), bytes: Number(bytes), hash, ids };
}

export type FrozenItems = Omit<LockedItems, 'ids'>;

/** Saves the items of an operation. */
export async function freezeItems(
  reader: SetReader,
  target: MoveTarget,
  operationId: string,
): Promise<FrozenItems> {
  const row = getRow(
    await queryRows(
      reader.db,
      { count: column.bigint, bytes: column.numeric, hash: column.bytea },
      sql`with item as materialized (
      select ${COLUMNS}, ${selectPosition()}
      ${selectItems(reader, target)}
    ), kept as (${insertItems(operationId)})
    select count(*) as count, ${SUM_BYTES} as bytes, ${HASH} as hash from item`,
    ),
  );
  return { count: Number(row.count), bytes: Number(row.bytes), hash: row.hash };
}

export type ItemSelection = {
  readonly ids: readonly string[];
  /** State revision of each id. An item whose revision has changed is skipped. */
  readonly revisions?: readonly number[] | undefined;
};

/**
 * Selects and locks the items whose revision is unchanged, in the order of their ids, so that two moves
 * cannot deadlock.
 */
export const selectUnchanged = (
  { ids, revisions = [] }: ItemSelection,
  condition: SQL,
  lock: SQL,
): SQL => sql`
  select asset.id, asset.live_video_id
  from unnest(${uuids(ids)}, ${`{${revisions.join(',')}}`}::int[]) chosen (id, revision)
  join ${checkedAssets} on asset.id = chosen.id
  where ${condition} and (chosen.revision is null or chosen.revision = asset.state_revision)
  order by asset.id for ${lock} of asset`;
