import { type SQL, sql } from 'drizzle-orm';
import { selectTimeline } from './scope.ts';
import { uuids } from '../../db/arrays.ts';
import { idIn, instantOf, microsOf, momentIn } from './cursors.ts';
import { arrayOf, paging, type Source } from './page.store.ts';
import type { Pending } from './pending.ts';

/** Before every id, and after every instant: what nothing was sent of is read from its start. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type Members = {
  /** Of the relation `scope`, in their order, no more than a page. */
  readonly from: SQL;
  readonly subject: SQL;
  readonly ack: SQL;
  readonly order: SQL;
};

/**
 * A page of what many have, one after the other. Of each no more than a page is read, and of those
 * after the one that fills it nothing.
 */
function membersOf(
  relations: readonly Pending[],
  { lastIds, lastMicros }: { lastIds: readonly string[]; lastMicros: readonly string[] },
  { from, subject, ack, order }: Members,
): Source {
  return {
    isLog: false,
    rows: sql`select scope.id as scope_id, 'shown' as kind, ${subject} as subject_id,
        null::uuid as other_id, null::text as key,
        scope.since || '.' || scope.id || '.' || ${ack} as ack,
        row_number() over (order by scope.place, ${order}) as ord
      from unnest(${uuids(relations.map(({ id }) => id))},
          ${arrayOf(relations.map(({ since }) => String(since)))}::text[],
          ${uuids(lastIds)}, ${arrayOf(lastMicros)}::bigint[])
        with ordinality scope (id, since, last_id, last_micros, place)
      cross join lateral (${from} limit ${paging.rows}) member
      order by scope.place, ${order} limit ${paging.rows}`,
  };
}

const byId = (relations: readonly Pending[], id: SQL, from: SQL): Source =>
  membersOf(
    relations,
    { lastIds: relations.map(({ cursor }) => idIn(cursor) ?? NO_ID), lastMicros: [] },
    {
      from: sql`select ${id} as id from ${from} and ${id} > scope.last_id order by ${id}`,
      subject: sql`member.id`,
      ack: sql`member.id`,
      order: sql`member.id`,
    },
  );

/** What came last comes first. */
export function partnerAssets(partners: readonly Pending[]): Source {
  const cursors = partners.map(({ cursor }) => momentIn(cursor));
  return membersOf(
    partners,
    {
      lastIds: cursors.map((cursor) => cursor?.id ?? NO_ID),
      lastMicros: cursors.map((cursor) => cursor?.micros ?? 'null'),
    },
    {
      from: sql`select asset.id, asset.created_at from ${selectTimeline(sql`scope.id`)} asset
        where (asset.created_at, asset.id)
          < (coalesce(${instantOf(sql`scope.last_micros`)}, 'infinity'), scope.last_id)
        order by asset.created_at desc, asset.id desc`,
      subject: sql`member.id`,
      ack: sql`${microsOf(sql`member.created_at`)} || '_' || member.id`,
      order: sql`member.created_at desc, member.id desc`,
    },
  );
}

export const partnerStacks = (partners: readonly Pending[]): Source =>
  byId(partners, sql`stack.id`, sql`stack where stack.owner_id = scope.id`);

/** Their owners too. */
export const albumUsers = (albums: readonly Pending[]): Source =>
  byId(
    albums,
    sql`known.user_id`,
    sql`(select album_id, user_id from album_user
        union select id, owner_id from album) known where known.album_id = scope.id`,
  );

export const albumAssets = (albums: readonly Pending[]): Source =>
  byId(albums, sql`album_asset.asset_id`, sql`album_asset where album_asset.album_id = scope.id`);
