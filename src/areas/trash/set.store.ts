import { unscopedAssets } from '../../access/unscoped.ts';
import { and, type SQL, sql } from 'drizzle-orm';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';

/** Everything in the trash, or what is named and the move changes. */
export type Target =
  | { readonly move: Move; readonly ids: readonly string[] }
  | { readonly move: 'restore' | 'delete'; readonly ids: undefined };
export type Move = 'trash' | 'restore' | 'delete';

type Reader = { readonly db: Db; readonly session: Session };

/**
 * `from … where …` of the items that a move works on, named asset. This is what the trash is: list,
 * count, restore and empty all start here. The video half of a live photo is no item; it goes where
 * its still goes.
 */
function itemsOf({ db, session }: Reader, { move, ids }: Target, more?: SQL): SQL {
  if (!ids) return sql`from ${ownAssets(db, session, 'trash')} where ${more ?? sql`true`}`;
  return sql`from ${ownAssets(db, session, 'any')} where ${and(
    sql`asset.id = any(${uuids(ids)})`,
    move === 'trash' ? sql`asset.trashed_at is null` : undefined,
    move === 'restore' ? sql`asset.trashed_at is not null` : undefined,
    more,
  )}`;
}

/** Over the sorted ids and the state of each. */
const HASH = sql.raw(`sha256(coalesce(
  string_agg(uuid_send(id) || int4send(state_revision), ''::bytea order by id), ''::bytea))`);

/**
 * Bytes that `item` takes up, with the video halves of live photos. `offset 0`, here and below: each
 * half is looked up by its id, also where the statistics do not know yet how many items there are.
 */
const BYTES = sql`(
  (select coalesce(sum(file_size), 0) from item)
  + (select coalesce(sum(video.file_size), 0)
    from (select distinct live_video_id as id from item where live_video_id is not null) half
    cross join lateral (select file_size from ${unscopedAssets} where asset.id = half.id offset 0) video))`;

const COLUMNS = sql.raw(
  'asset.id, asset.state_revision, asset.file_size, asset.sha256, asset.live_video_id',
);

/** The ids of items by those that were named, in their order: whoever names half of a live photo means all of it. */
export async function findItems(
  { db, session }: Reader,
  ids: readonly string[],
): Promise<{ readonly named: number; readonly ids: string[] }> {
  const rows = await db.execute<{ named: string; id: string }>(sql`
    select asset.id as named, coalesce(still.id, asset.id) as id
    from unnest(${uuids(ids)}) with ordinality chosen (id, place)
    join ${ownAssets(db, session, 'any')} on asset.id = chosen.id
    left join lateral (select still.id, still.owner_id from ${unscopedAssets} still
      where still.live_video_id = asset.id offset 0) still on still.owner_id = asset.owner_id
    order by chosen.place, still.id`);
  return {
    named: new Set(rows.map((row) => row.named)).size,
    ids: [...new Set(rows.map((row) => row.id))],
  };
}

export type Reviewed = {
  readonly count: number;
  readonly bytes: number;
  /** Items whose bytes another account has too, as far as the caller may see that. */
  readonly shared: number;
  readonly hash: Uint8Array;
};

export async function reviewItems(reader: Reader, target: Target): Promise<Reviewed> {
  const { session } = reader;
  const userId = session.kind === 'user' ? session.userId : null;
  const [row] = await reader.db.execute<
    Record<'count' | 'bytes' | 'shared', string> & Reviewed
  >(sql`
    with item as materialized (select ${COLUMNS} ${itemsOf(reader, target)})
    select count(*) as count, ${BYTES} as bytes, ${HASH} as hash,
      count(*) filter (where exists (
        select from ${visibleAssets(reader.db, session, 'any')}
        where asset.sha256 = item.sha256 and asset.owner_id <> ${userId})
      ) as shared
    from item`);
  const { count, bytes, shared, hash } = row!;
  return { count: Number(count), bytes: Number(bytes), shared: Number(shared), hash };
}

export type Held = {
  readonly count: number;
  readonly bytes: number;
  readonly hash: Uint8Array;
  readonly ids: readonly string[];
};

/** Locks the items until commit; undefined when there are more than `limit`. */
export async function holdItems(
  reader: Reader,
  target: Target,
  limit: number,
): Promise<Held | undefined> {
  const found = await reader.db.execute<{ id: string }>(
    sql`select asset.id ${itemsOf(reader, target)} limit ${limit + 1}`,
  );
  if (found.length > limit) return undefined;
  const isFound = sql`asset.id = any(${uuids(found.map((row) => row.id))})`;
  const [row] = await reader.db.execute<
    Record<'count' | 'bytes', string> & { hash: Uint8Array; ids: string[] }
  >(sql`
    with item as materialized (
      select ${COLUMNS} ${itemsOf(reader, target, isFound)} order by asset.id for no key update
    )
    select count(*) as count, ${BYTES} as bytes, ${HASH} as hash,
      coalesce(array_agg(id order by id), '{}') as ids
    from item`);
  const { count, bytes, hash, ids } = row!;
  return { count: Number(count), bytes: Number(bytes), hash, ids };
}

export type Frozen = Omit<Held, 'ids'>;

/**
 * Writes the items down for a job, newest first, `size` to a batch. Neighbours in time are neighbours
 * in the indexes, and a batch changes the sums of a month or two.
 */
export async function freezeItems(
  reader: Reader,
  target: Target,
  { operationId, size }: { readonly operationId: string; readonly size: number },
): Promise<Frozen> {
  const [row] = await reader.db.execute<Record<'count' | 'bytes', string> & { hash: Uint8Array }>(
    sql`with item as materialized (
      select ${COLUMNS},
        (row_number() over (order by asset.local_taken_at desc, asset.id desc) - 1)
          / ${size}::int as position
      ${itemsOf(reader, target)}
    ), kept as (
      insert into trash_operation_batch (operation_id, position, asset_ids, revisions)
      select ${operationId}::uuid, position, array_agg(id order by id),
        array_agg(state_revision order by id)
      from item group by position
    )
    select count(*) as count, ${BYTES} as bytes, ${HASH} as hash from item`,
  );
  return { count: Number(row!.count), bytes: Number(row!.bytes), hash: row!.hash };
}
