import { type SQL, sql } from 'drizzle-orm';
import { albumCopy, type CopyOwner, lockedOf, ownCopy, timelineOf } from '../../access/copies.ts';
import { paging, type Source } from './page.store.ts';

// Whole tables, in an order that a cursor can be put in. A cursor is the ack of a row; one of another
// shape, which only a client can make up, reads from the start.

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
const ONE_ID = new RegExp(`^${UUID}$`);
const TWO_IDS = new RegExp(`^(${UUID})_(${UUID})$`);
const TIME_AND_ID = new RegExp(`^(\\d{1,17})_(${UUID})$`);

type Row = {
  readonly scope: SQL;
  readonly subject: SQL;
  readonly other?: SQL;
  readonly ack: SQL;
  readonly order: SQL;
  readonly from: SQL;
};

const sourceOf = ({ scope, subject, other, ack, order, from }: Row): Source => ({
  isLog: false,
  rows: sql`select ${scope} as scope_id, 'shown' as kind, ${subject} as subject_id,
    ${other ?? sql`null::uuid`} as other_id, null::text as key, ${ack} as ack,
    row_number() over (order by ${order}) as ord ${from}`,
});

const MICROS = sql`(extract(epoch from listed.created_at) * 1000000)::bigint`;

/** What came last comes first: it is what people look for on a new phone. */
function newestFirst(assets: SQL, cursor: string | undefined): Source {
  const [, micros, id] = TIME_AND_ID.exec(cursor ?? '') ?? [];
  const rest =
    micros && id
      ? sql`where (asset.created_at, asset.id)
          < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`
      : sql``;
  return sourceOf({
    scope: sql`listed.owner_id`,
    subject: sql`listed.id`,
    ack: sql`${MICROS} || '_' || listed.id`,
    order: sql`listed.created_at desc, listed.id desc`,
    from: sql`from (
      select asset.id, asset.owner_id, asset.created_at from ${assets} asset ${rest}
      order by asset.created_at desc, asset.id desc limit ${paging.rows}) listed`,
  });
}

export const ownAssets = (owner: CopyOwner, cursor: string | undefined): Source =>
  newestFirst(ownCopy(owner), cursor);
export const lockedAssets = ({ userId }: CopyOwner, cursor: string | undefined): Source =>
  newestFirst(lockedOf(userId), cursor);
export const partnerAssets = (partnerId: string, cursor: string | undefined): Source =>
  newestFirst(timelineOf(partnerId), cursor);

const after = (id: SQL, cursor: string | undefined) =>
  cursor && ONE_ID.test(cursor) ? sql`and ${id} > ${cursor}::uuid` : sql``;

const stacksOf = (condition: SQL, cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`stack.owner_id`,
    subject: sql`stack.id`,
    ack: sql`stack.id`,
    order: sql`stack.id`,
    from: sql`from (
      select * from stack where ${condition} ${after(sql`stack.id`, cursor)}
      order by stack.id limit ${paging.rows}) stack`,
  });

export const stacks = (ownerId: string, cursor: string | undefined): Source =>
  stacksOf(sql`owner_id = ${ownerId}`, cursor);
export const lockedStacks = ({ userId }: CopyOwner, cursor: string | undefined): Source =>
  stacksOf(
    sql`owner_id = ${userId} and id in (select stack_id from ${lockedOf(userId)} asset)`,
    cursor,
  );

const peopleOf = (condition: SQL, cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`person.owner_id`,
    subject: sql`person.id`,
    ack: sql`person.id`,
    order: sql`person.id`,
    from: sql`from (
      select id, owner_id from person
      where ${condition} and merged_into is null ${after(sql`person.id`, cursor)}
      order by id limit ${paging.rows}) person`,
  });

export const allPeople = ({ userId }: CopyOwner, cursor: string | undefined): Source =>
  peopleOf(sql`owner_id = ${userId}`, cursor);
/** Those who are on anything that is Locked. */
export const lockedPeople = ({ userId }: CopyOwner, cursor: string | undefined): Source =>
  peopleOf(
    sql`owner_id = ${userId} and id in (select face.person_id from ${lockedOf(userId)} asset
      join face on face.asset_id = asset.id)`,
    cursor,
  );

export const allUsers = (cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`everybody()`,
    subject: sql`app_user.id`,
    ack: sql`app_user.id`,
    order: sql`app_user.id`,
    from: sql`from (
      select id from app_user where true ${after(sql`app_user.id`, cursor)}
      order by id limit ${paging.rows}) app_user`,
  });

/** In both directions: who shares with the account, and with whom it shares. */
export const allPartners = ({ userId }: CopyOwner, cursor: string | undefined): Source => {
  const [, sharer, viewer] = TWO_IDS.exec(cursor ?? '') ?? [];
  const rest =
    sharer && viewer ? sql`and (sharer_id, viewer_id) > (${sharer}::uuid, ${viewer}::uuid)` : sql``;
  return sourceOf({
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

export const allAlbums = (owner: CopyOwner, cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`${owner.userId}::uuid`,
    subject: sql`album.id`,
    ack: sql`album.id`,
    order: sql`album.id`,
    from: sql`from (
      select id from ${albumCopy(owner)} album where true ${after(sql`album.id`, cursor)}
      order by id limit ${paging.rows}) album`,
  });

export const usersOfAlbum = (albumId: string, cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`${albumId}::uuid`,
    subject: sql`member.user_id`,
    ack: sql`member.user_id`,
    order: sql`member.user_id`,
    from: sql`from (
      select user_id from (
        select user_id from album_user where album_id = ${albumId}
        union select owner_id from album where id = ${albumId}) known
      where true ${after(sql`user_id`, cursor)}
      order by user_id limit ${paging.rows}) member`,
  });

export const assetsOfAlbum = (albumId: string, cursor: string | undefined): Source =>
  sourceOf({
    scope: sql`member.album_id`,
    subject: sql`member.asset_id`,
    ack: sql`member.asset_id`,
    order: sql`member.asset_id`,
    from: sql`from (
      select album_id, asset_id from album_asset
      where album_id = ${albumId} ${after(sql`asset_id`, cursor)}
      order by asset_id limit ${paging.rows}) member`,
  });
