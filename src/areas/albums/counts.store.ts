import { sql } from 'drizzle-orm';
import { albumMembers } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { anyOfIds, uuids } from '../../db/arrays.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryPrepared, queryRows } from '../../db/query.ts';

const ALBUM_SUMMARY_COLUMNS = {
  albumId: column.uuid,
  name: column.text,
  assetCount: column.integer,
  /** Wall clocks of the first and the last capture; null in an album that shows nothing. */
  start: column.text.orNull,
  end: column.text.orNull,
  /** An instant, as PostgreSQL writes it. */
  modified: column.timestamptz.orNull,
  /** The chosen cover where it is still shown, else the newest item. */
  coverId: column.uuid.orNull,
};

export type AlbumSummary = InferRow<typeof ALBUM_SUMMARY_COLUMNS>;

const hasRules = (session: Session) => session.kind === 'user' && session.contentRules.length > 0;

/** Albums that hold something which rules of the viewer leave out. */
const isNarrowed = (db: Db, session: Session) =>
  hasRules(session)
    ? sql`exists (select 1 from ${albumMembers(db, session, { suppressed: 'only' })}
        where asset.album_id = album.id)`
    : sql`false`;

/** Where an album has a cover of its own that is shown. */
const selectCoverId = (db: Db, session: Session) => sql`
  left join lateral (select asset.id from ${albumMembers(db, session)}
    where asset.album_id = album.id and asset.id = album.cover_id) cover on true`;

/**
 * Returns a summary of each album from the sums of its delta rows. Reads the album's items only if the
 * sums are in doubt or differ from what this viewer sees.
 */
export async function summarize(
  db: Db,
  session: Session,
  ids: readonly string[],
): Promise<Map<string, AlbumSummary>> {
  const rows = await queryPrepared(
    db,
    { ...ALBUM_SUMMARY_COLUMNS, isRead: column.boolean },
    sql`
    select album.id as "albumId", album.name, coalesce(sum.assets, 0)::int as "assetCount",
      case when sum.assets > 0 then sum.first_at::text end as start,
      case when sum.assets > 0 then sum.last_at::text end as end,
      case when sum.assets > 0 then sum.modified_at end as modified,
      case when sum.assets > 0 then coalesce(cover.id, sum.last_id) end as "coverId",
      coalesce(sum.is_in_doubt, false) or ${isNarrowed(db, session)} as "isRead"
    from album left join album_sum sum on sum.album_id = album.id ${selectCoverId(db, session)}
    where album.id = ${anyOfIds(ids)}`,
  );
  const found = new Map<string, AlbumSummary>();
  for (const { isRead: _, ...row } of rows) found.set(row.albumId, row);
  const readIds = rows.flatMap((row) => (row.isRead ? [row.albumId] : []));
  for (const row of await readAlbums(db, session, readIds)) found.set(row.albumId, row);
  return found;
}

/** Reads one album at a time: together, they would look like most of the library to the planner. */
const readAlbums = async (db: Db, session: Session, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : queryRows(
        db,
        ALBUM_SUMMARY_COLUMNS,
        sql`
        select album.id as "albumId", album.name, read."assetCount", read.start, read.end,
          read.modified, coalesce(cover.id, read.last_id) as "coverId"
        from album cross join lateral (
          select count(*)::int as "assetCount", min(asset.local_taken_at)::text as start,
            max(asset.local_taken_at)::text as end, max(asset.updated_at) as modified,
            (array_agg(asset.id order by asset.local_taken_at desc, asset.id desc))[1] as last_id
          from ${albumMembers(db, session)} where asset.album_id = album.id) read
        ${selectCoverId(db, session)}
        where album.id = any(${uuids(ids)})`,
      );

/** Returns the number of shown items by owner. */
export async function countByContributor(db: Db, session: Session, albumId: string) {
  return queryPrepared(
    db,
    { userId: column.uuid, assetCount: column.integer },
    hasRules(session)
      ? sql`select asset.owner_id as "userId", count(*)::int as "assetCount"
          from ${albumMembers(db, session)} where asset.album_id = ${albumId}
          group by asset.owner_id order by asset.owner_id`
      : sql`select owner_id as "userId", sum(assets)::int as "assetCount" from album_count
          where album_id = ${albumId} group by owner_id having sum(assets) > 0 order by owner_id`,
  );
}

/** Below this, reading the spare delta rows of an album costs less than folding them. */
const MANY = 16;
const ALBUMS_PER_RUN = 10_000;

/** Albums with many delta rows or in doubt, and what outlived its album. */
const UNFOLDED = sql`
  select album_id as id from (
    select album_id, count(*) - count(distinct (owner_id, local_month)) as spare
    from album_count group by album_id) known
  join album_sum sum using (album_id)
  where spare > ${MANY} or sum.is_in_doubt
    or not exists (select from album where album.id = album_id)`;
export const hasUnfoldedAlbums = sql`exists (${UNFOLDED})`;

export async function findUnfoldedAlbums(db: Db): Promise<string[]> {
  const rows = await queryRows(
    db,
    { id: column.uuid },
    sql`${UNFOLDED} order by spare desc limit ${ALBUMS_PER_RUN}`,
  );
  return rows.map((row) => row.id);
}

/**
 * Replaces the delta rows of these albums by what they say together; albums in doubt are read. Rows
 * added meanwhile are not seen and stay. False: another machine is folding.
 */
export async function foldAlbums(db: Db, albumIds: readonly string[]): Promise<boolean> {
  const [lock] = await queryRows(
    db,
    { taken: column.boolean },
    sql`select pg_try_advisory_xact_lock(hashtext('album_count')) as taken`,
  );
  if (!lock?.taken) return false;
  await queryRows(
    db,
    sql`
    with gone as (
      delete from album_count where album_id = any(${uuids(albumIds)}) returning *
    ), sum as materialized (
      select album_id, is_in_doubt from album_sum
      where album_id = any(${uuids(albumIds)})
        and exists (select from album where album.id = album_id)
    )
    insert into album_count
      (album_id, owner_id, local_month, assets, first_at, last_at, last_id, modified_at)
    select gone.album_id, gone.owner_id, gone.local_month, sum(gone.assets), min(gone.first_at), max(gone.last_at),
      (array_agg(gone.last_id order by gone.last_at desc nulls last, gone.last_id desc))[1],
      max(gone.modified_at)
    from gone join sum using (album_id) where not sum.is_in_doubt
    group by gone.album_id, gone.owner_id, gone.local_month having sum(gone.assets) <> 0
    union all
    select read.album_id, read.owner_id, read.local_month, read.assets, read.first_at,
      read.last_at, read.last_id, read.modified_at
    from sum cross join lateral read_album(sum.album_id) read where sum.is_in_doubt`,
  );
  return true;
}
