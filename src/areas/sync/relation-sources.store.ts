import { type SQL, sql } from 'drizzle-orm';
import { selectTimeline } from './scope.ts';
import { uuids } from '../../db/arrays.ts';
import { parseIdCursor, fromMicros, toMicros, parseTimeCursor } from './cursors.ts';
import { toArrayLiteral, paging, type Source } from './page.store.ts';
import type { PendingRelation } from './pending.ts';

/** Sorts before every id: cursor of a relation of which nothing has been sent. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

type RelationRows = {
  /** Rows of the relation `scope`, in order. */
  readonly from: SQL;
  readonly subject: SQL;
  readonly ack: SQL;
  readonly order: SQL;
};

/**
 * Returns a page over the rows of many relations in turn. Reads at most a page of each, and nothing of the
 * relations after the one that fills the page.
 */
function toRelationSource(
  relations: readonly PendingRelation[],
  { lastIds, lastMicros }: { lastIds: readonly string[]; lastMicros: readonly string[] },
  { from, subject, ack, order }: RelationRows,
): Source {
  return {
    isLog: false,
    rows: sql`select scope.id as scope_id, 'shown' as kind, ${subject} as subject_id,
        null::uuid as other_id, null::text as key,
        scope.since || '.' || scope.id || '.' || ${ack} as ack,
        (row_number() over (order by scope.place, ${order}))::int as ord
      from unnest(${uuids(relations.map(({ id }) => id))},
          ${toArrayLiteral(relations.map(({ since }) => String(since)))}::text[],
          ${uuids(lastIds)}, ${toArrayLiteral(lastMicros)}::bigint[])
        with ordinality scope (id, since, last_id, last_micros, place)
      cross join lateral (${from} limit ${paging.rows}) member
      order by scope.place, ${order} limit ${paging.rows}`,
  };
}

const toSourceById = (relations: readonly PendingRelation[], id: SQL, from: SQL): Source =>
  toRelationSource(
    relations,
    { lastIds: relations.map(({ cursor }) => parseIdCursor(cursor) ?? NO_ID), lastMicros: [] },
    {
      from: sql`select ${id} as id from ${from} and ${id} > scope.last_id order by ${id}`,
      subject: sql`member.id`,
      ack: sql`member.id`,
      order: sql`member.id`,
    },
  );

/** Selects assets of partners, latest first. */
export function selectPartnerAssetRows(partners: readonly PendingRelation[]): Source {
  const cursors = partners.map(({ cursor }) => parseTimeCursor(cursor));
  return toRelationSource(
    partners,
    {
      lastIds: cursors.map((cursor) => cursor?.id ?? NO_ID),
      lastMicros: cursors.map((cursor) => cursor?.micros ?? 'null'),
    },
    {
      from: sql`select asset.id, asset.created_at from ${selectTimeline(sql`scope.id`)} asset
        where (asset.created_at, asset.id)
          < (coalesce(${fromMicros(sql`scope.last_micros`)}, 'infinity'), scope.last_id)
        order by asset.created_at desc, asset.id desc`,
      subject: sql`member.id`,
      ack: sql`${toMicros(sql`member.created_at`)} || '_' || member.id`,
      order: sql`member.created_at desc, member.id desc`,
    },
  );
}

export const selectPartnerStackRows = (partners: readonly PendingRelation[]): Source =>
  toSourceById(partners, sql`stack.id`, sql`stack where stack.owner_id = scope.id`);

/** Selects members and owners. */
export const selectAlbumUserRows = (albums: readonly PendingRelation[]): Source =>
  toSourceById(
    albums,
    sql`known.user_id`,
    sql`(select album_id, user_id from album_user
        union select id, owner_id from album) known where known.album_id = scope.id`,
  );

export const selectAlbumAssetRows = (albums: readonly PendingRelation[]): Source =>
  toSourceById(
    albums,
    sql`album_asset.asset_id`,
    sql`album_asset where album_asset.album_id = scope.id`,
  );
