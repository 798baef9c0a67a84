import { type SQL, sql } from 'drizzle-orm';
import { albumMembers } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { checkedAssets } from '../../access/unscoped.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { isBehind, type Position } from '../../db/keyset.ts';
import { getRow, queryRows } from '../../db/query.ts';

const ORDER_COLUMNS = {
  sortOrder: column.text.as<'asc' | 'desc'>(),
  isByHand: column.boolean,
  /** 0: the members have no places yet. */
  revision: column.integer,
};
export type OrderRow = InferRow<typeof ORDER_COLUMNS>;

/** Returns the order of an album that the caller may open. */
export async function getOrder(db: Db, albumId: string): Promise<OrderRow> {
  return getRow(
    await queryRows(
      db,
      ORDER_COLUMNS,
      sql`
      select sort_order as "sortOrder", coalesce(is_by_hand, false) as "isByHand",
        coalesce(revision, 0) as revision
      from album left join album_order on album_order.album_id = album.id where album.id = ${albumId}`,
    ),
  );
}

/** Makes those who change the order of an album wait for each other until commit. */
export async function lockOrder(db: Db, albumId: string): Promise<void> {
  await queryRows(
    db,
    sql`select pg_advisory_xact_lock(hashtextextended('album_order ' || ${albumId}, 0))`,
  );
}

/** Saves whether an album is shown in its order by hand, and increments the revision. */
export async function saveOrder(db: Db, albumId: string, isByHand: boolean): Promise<void> {
  await queryRows(
    db,
    sql`
    insert into album_order (album_id, is_by_hand) values (${albumId}, ${isByHand})
    on conflict (album_id) do update
    set is_by_hand = excluded.is_by_hand, revision = album_order.revision + 1`,
  );
}

/** Room between neighbours: so many moves to one place as 2 has powers below it, before all get new places. */
const GAP = sql`(1::bigint << 40)`;
/** The default of `position`. */
const END = sql`((extract(epoch from now()) * 1000000)::bigint * 1024)`;

/** Gives all members of an album new places: in the order that they have, or by date of capture. */
export async function spreadMembers(db: Db, albumId: string, by: 'place' | 'asc' | 'desc') {
  const order: Readonly<Record<typeof by, SQL>> = {
    place: sql`member.position, member.asset_id`,
    asc: sql`asset.local_taken_at, asset.id`,
    desc: sql`asset.local_taken_at desc, asset.id desc`,
  };
  await queryRows(
    db,
    sql`
    update album_asset set position = ranked.rank * least(${GAP}, ${END} / (ranked.members + 1))
    from (
      select member.asset_id, row_number() over (order by ${order[by]}) as rank,
        count(*) over () as members
      from album_asset member join ${checkedAssets} on asset.id = member.asset_id
      where member.album_id = ${albumId}
    ) ranked
    where album_asset.album_id = ${albumId} and album_asset.asset_id = ranked.asset_id`,
  );
}

const PLACE_COLUMNS = { id: column.uuid, value: column.text };

/** Returns a page of what an album shows the session, by place. */
export async function listItems(
  db: Db,
  session: Session,
  albumId: string,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
): Promise<Position[]> {
  const columns = [sql`asset.member_position`, sql`asset.member_id`];
  const isAfter = after
    ? isBehind({
        columns,
        values: [sql`${after.value}::bigint`, sql`${after.id}::uuid`],
        direction: 'asc',
      })
    : sql`true`;
  return queryRows(
    db,
    PLACE_COLUMNS,
    sql`
    select asset.id, asset.member_position::text as value from ${albumMembers(db, session)}
    where asset.album_id = ${albumId}::uuid and ${isAfter}
    order by asset.member_position, asset.member_id limit ${limit}`,
  );
}

/** Returns those of `ids` that the album shows the session, with what its rules leave out of lists. */
export async function filterShown(
  db: Db,
  session: Session,
  albumId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`
    select asset.id from ${albumMembers(db, session, { suppressed: 'in' })}
    where asset.album_id = ${albumId}::uuid and asset.id = any(${uuids(ids)})`,
  );
  return new Set(rows.map(({ id }) => id));
}

export type Target = { readonly side: 'before' | 'after'; readonly id: string };

/** Moves members beside another one, in this order. Returns false if there is no room. */
export async function moveMembers(
  db: Db,
  albumId: string,
  ids: readonly string[],
  { side, id }: Target,
): Promise<boolean> {
  const isAfter = side === 'after';
  const [operator, direction] = isAfter ? ['>', 'asc'] : ['<', 'desc'];
  const low = isAfter
    ? sql`anchor.position`
    : sql`coalesce(other.position, anchor.position - room)`;
  const high = isAfter ? sql`coalesce(other.position, ${END})` : sql`anchor.position`;
  const rows = await queryRows(
    db,
    sql`
    with anchor as (
      select position, asset_id, ${GAP} * ${ids.length + 1}::int as room from album_asset
      where album_id = ${albumId} and asset_id = ${id}
    ), place as materialized (
      select ${low} as low, least(${GAP}, (${high} - ${low}) / ${ids.length + 1}::int) as step
      from anchor left join lateral (
        select position from album_asset member
        where album_id = ${albumId} and asset_id <> all(${uuids(ids)})
          and (member.position, member.asset_id) ${sql.raw(operator)} (anchor.position, anchor.asset_id)
        order by member.position ${sql.raw(direction)}, member.asset_id ${sql.raw(direction)} limit 1
      ) other on true
    )
    update album_asset set position = place.low + place.step * moved.rank
    from place, unnest(${uuids(ids)}) with ordinality moved (id, rank)
    where album_asset.album_id = ${albumId} and album_asset.asset_id = moved.id and place.step > 0
    returning 1`,
  );
  return rows.length > 0;
}
