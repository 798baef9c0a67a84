import { and, eq, sql } from 'drizzle-orm';
import { albumMembers } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';

/**
 * Records that this transaction has added assets to an album, if there is somebody to tell: owner or
 * member, other than who added. `addedBy`: null through a shared link. Returns whether there is.
 */
export async function insertAddition(
  db: Db,
  albumId: string,
  addedBy: string | null,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    insert into album_addition (album_id, added_by)
    select id, ${addedBy}::uuid from album
    where id = ${albumId} and (owner_id is distinct from ${addedBy}::uuid or exists (
      select from album_user where album_id = album.id and user_id is distinct from ${addedBy}::uuid))
    returning 1`,
  );
  return rows.length > 0;
}

export type UntoldRecipient = {
  readonly userId: string;
  /** Array literal of times of additions that the recipient has not made, since joining the album. */
  readonly times: string;
  /** Latest of the additions: another one in every run. */
  readonly lastId: string;
};

/** Deletes the recorded additions of an album and returns who is to be told of which. */
export const takeAdditions = (db: Db, albumId: string): Promise<UntoldRecipient[]> =>
  queryRows(
    db,
    { userId: column.uuid, times: column.text, lastId: column.text },
    sql`
    with addition as (
      delete from album_addition where album_id = ${albumId} returning id, added_by, added_at
    ), recipient as (
      select owner_id as id, '-infinity'::timestamptz as since from album where id = ${albumId}
      union all select user_id, created_at from album_user where album_id = ${albumId}
    )
    select recipient.id as "userId", array_agg(distinct added_at)::text as times,
      max(addition.id)::text as "lastId"
    from recipient join addition
      on added_by is distinct from recipient.id and added_at > recipient.since
    group by recipient.id order by recipient.id`,
  );

/** Counts what the session sees of what was added to an album at these times. */
export async function countAdded(
  db: Db,
  session: UserSession,
  { albumId, times }: { readonly albumId: string; readonly times: string },
): Promise<number> {
  const asset = albumMembers(db, session);
  const row = getRow(
    await db
      .select({ assets: sql`count(*)`.mapWith(Number) })
      .from(asset)
      .where(
        and(
          eq(asset.albumId, albumId),
          sql`${asset.id} = any(array(select asset_id from album_asset
          where album_id = ${albumId} and created_at = any(${times}::timestamptz[])))`,
        ),
      ),
  );
  return row.assets;
}
