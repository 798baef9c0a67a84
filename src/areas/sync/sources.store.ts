import { type SQL, sql } from 'drizzle-orm';
import { isBehind } from '../../db/keyset.ts';
import { selectAlbums, type SyncOwner, selectLockedAssets, selectOwnAssets } from './scope.ts';
import {
  type Cursor,
  parseIdCursor,
  fromMicros,
  toMicros,
  parseTimeCursor,
  parsePairCursor,
} from './cursors.ts';
import { paging, type Source } from './page.store.ts';

// Whole tables in keyset order.

type SourceColumns = {
  readonly scope: SQL;
  readonly subject: SQL;
  readonly other?: SQL;
  readonly ack: SQL;
  readonly order: SQL;
  readonly from: SQL;
  /** Columns of the assets of the rows. */
  readonly assets?: SQL | undefined;
};

const toSource = ({ scope, subject, other, ack, order, from, assets }: SourceColumns): Source => ({
  isLog: false,
  hasAssets: assets !== undefined,
  rows: sql`select ${scope} as scope_id, 'shown' as kind, ${subject} as subject_id,
    ${other ?? sql`null::uuid`} as other_id, null::text as key, ${ack} as ack,
    (row_number() over (order by ${order}))::int as ord${assets ? sql`, ${assets}` : sql``} ${from}`,
});

/** Selects assets in descending order of creation: a new phone shows the latest first. */
function selectNewestFirst(from: SQL, cursor: Cursor, columns?: SQL): Source {
  const last = parseTimeCursor(cursor);
  const rest = last
    ? sql`where ${isBehind({
        columns: [sql`asset.created_at`, sql`asset.id`],
        values: [fromMicros(sql`${last.micros}`), sql`${last.id}::uuid`],
        direction: 'desc',
      })}`
    : sql``;
  const page = toSource({
    scope: sql`listed.owner_id`,
    subject: sql`listed.id`,
    ack: sql`listed.created_at`,
    order: sql`listed.created_at desc, listed.id desc`,
    assets: columns,
    from: sql`from (
      select * from ${from} asset ${rest}
      order by asset.created_at desc, asset.id desc limit ${paging.rows}) listed`,
  });
  return { ...page, ack: sql`${toMicros(sql`n.ack`)} || '_' || n.subject_id` };
}

const scanAssets =
  (columns: SQL) =>
  (owner: SyncOwner, cursor: Cursor): Source =>
    selectNewestFirst(selectOwnAssets(owner), cursor, columns);

/** Scans of the own assets with the columns of them that their lines are made of. */
export const ownAssets = scanAssets(sql`listed.*`);
export const ownAssetSizes = scanAssets(sql`listed.id, listed.file_size`);
export const ownAssetIds = scanAssets(sql`listed.id`);
export const lockedAssets = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  selectNewestFirst(selectLockedAssets(userId), cursor);

/** Returns the keyset condition for a cursor that is an id. */
function isAfterCursor(id: SQL, cursor: Cursor): SQL {
  const last = parseIdCursor(cursor);
  return last ? sql`and ${id} > ${last}::uuid` : sql``;
}

const selectStacks = (condition: SQL, cursor: Cursor): Source =>
  toSource({
    scope: sql`stack.owner_id`,
    subject: sql`stack.id`,
    ack: sql`stack.id`,
    order: sql`stack.id`,
    from: sql`from (
      select * from stack where ${condition} ${isAfterCursor(sql`stack.id`, cursor)}
      order by stack.id limit ${paging.rows}) stack`,
  });

export const allStacks = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  selectStacks(sql`owner_id = ${userId}`, cursor);
export const lockedStacks = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  selectStacks(
    sql`owner_id = ${userId} and id in (select stack_id from ${selectLockedAssets(userId)} asset)`,
    cursor,
  );

const selectPeopleRows = (condition: SQL, cursor: Cursor): Source =>
  toSource({
    scope: sql`person.owner_id`,
    subject: sql`person.id`,
    ack: sql`person.id`,
    order: sql`person.id`,
    from: sql`from (
      select id, owner_id from person
      where ${condition} and merged_into is null ${isAfterCursor(sql`person.id`, cursor)}
      order by id limit ${paging.rows}) person`,
  });

export const allPeople = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  selectPeopleRows(sql`owner_id = ${userId}`, cursor);
/** Selects people who appear on Locked items. */
export const lockedPeople = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  selectPeopleRows(
    sql`owner_id = ${userId} and id in (select face.person_id from ${selectLockedAssets(userId)} asset
      join face on face.asset_id = asset.id)`,
    cursor,
  );

export const allUsers = (cursor: Cursor): Source =>
  toSource({
    scope: sql`everybody()`,
    subject: sql`app_user.id`,
    ack: sql`app_user.id`,
    order: sql`app_user.id`,
    from: sql`from (
      select id from app_user where true ${isAfterCursor(sql`app_user.id`, cursor)}
      order by id limit ${paging.rows}) app_user`,
  });

/** Selects partners in both directions. */
export const allPartners = ({ userId }: SyncOwner, cursor: Cursor): Source => {
  const last = parsePairCursor(cursor);
  const rest = last
    ? sql`and ${isBehind({
        columns: [sql`sharer_id`, sql`viewer_id`],
        values: [sql`${last[0]}::uuid`, sql`${last[1]}::uuid`],
        direction: 'asc',
      })}`
    : sql``;
  return toSource({
    scope: sql`${userId}::uuid`,
    subject: sql`partner.sharer_id`,
    other: sql`partner.viewer_id`,
    ack: sql`partner.sharer_id || '_' || partner.viewer_id`,
    order: sql`partner.sharer_id, partner.viewer_id`,
    from: sql`from (
      select * from partner where (sharer_id = ${userId} or viewer_id = ${userId}) ${rest}
      order by sharer_id, viewer_id limit ${paging.rows}) partner`,
  });
};

export const allAlbums = (owner: SyncOwner, cursor: Cursor): Source =>
  toSource({
    scope: sql`${owner.userId}::uuid`,
    subject: sql`album.id`,
    ack: sql`album.id`,
    order: sql`album.id`,
    from: sql`from (
      select id from ${selectAlbums(owner)} album where true ${isAfterCursor(sql`album.id`, cursor)}
      order by id limit ${paging.rows}) album`,
  });

export const allMemories = ({ userId }: SyncOwner, cursor: Cursor): Source =>
  toSource({
    scope: sql`memory.owner_id`,
    subject: sql`memory.id`,
    ack: sql`memory.id`,
    order: sql`memory.id`,
    from: sql`from (
      select id, owner_id from memory
      where owner_id = ${userId} ${isAfterCursor(sql`memory.id`, cursor)}
      order by id limit ${paging.rows}) memory`,
  });

export const allMemoryAssets = ({ userId }: SyncOwner, cursor: Cursor): Source => {
  const last = parsePairCursor(cursor);
  const rest = last
    ? sql`and (member.memory_id, member.asset_id) > (${last[0]}::uuid, ${last[1]}::uuid)`
    : sql``;
  return toSource({
    scope: sql`${userId}::uuid`,
    subject: sql`member.memory_id`,
    other: sql`member.asset_id`,
    ack: sql`member.memory_id || '_' || member.asset_id`,
    order: sql`member.memory_id, member.asset_id`,
    from: sql`from (
      select member.memory_id, member.asset_id from memory_asset member
      join memory on memory.id = member.memory_id
      where memory.owner_id = ${userId} ${rest}
      order by member.memory_id, member.asset_id limit ${paging.rows}) member`,
  });
};
