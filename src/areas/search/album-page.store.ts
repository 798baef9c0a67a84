import { and, sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { uuids } from '../../db/arrays.ts';
import type { Filter } from './match/filter.schemas.ts';
import { selectMatching, unionPerOwner, type Reader } from './match/matching.store.ts';
import { isAtOrBehind, type SearchQuery, type Window } from './store.ts';

// The newest items of an album. Scanning the library by time and probing the album for each item
// reads ten times as many rows for an album of a tenth of the library.

/** Largest number of album members to sort; a larger album is a good part of the library. */
const MAX_MEMBERS = 20_000;

/** Largest offset of a local clock from UTC. */
const MAX_UTC_OFFSET = sql.raw(`interval '15 hours'`);

/**
 * Returns the ids of a page of an album, newest first. Undefined where the query filters by more
 * than one album, or where the newest months do not fill the page.
 */
export async function findAlbumPage(
  reader: Reader,
  query: SearchQuery,
  window: Pick<Window, 'start' | 'offset' | 'limit'>,
): Promise<string[] | undefined> {
  const albumId = getOnlyAlbum(query.filter);
  const isInOrder = query.field === 'fileCreatedAt' && query.direction === 'desc';
  const isListed = query.scope === 'timeline' || query.scope === 'library';
  const isPlain = isListed && !query.isUnstacked && !query.withTrashed && !query.words;
  if (!albumId || !query.owners || !isInOrder || !isPlain) return undefined;
  const { start, offset, limit } = window;
  const wanted = offset + limit;
  const recent = await findRecentMembers(reader, { albumId, owners: query.owners, wanted, start });
  if (!recent) return undefined;
  // Items taken from this instant on have a local clock in these months.
  const from = sql`${recent.since}::timestamp at time zone 'utc'
    + ${MAX_UTC_OFFSET}`;
  const only = and(
    sql`asset.taken_at >= ${from}`,
    sql`asset.id = any(${uuids(recent.ids)})`,
    start && isAtOrBehind(query, start),
  );
  const end = sql.raw(`limit ${wanted}`);
  const parts = unionPerOwner(
    query,
    (owner) => sql`select asset.id, asset.taken_at
      ${selectMatching(reader, { ...query, filter: {} }, owner, { only })}
      order by asset.taken_at desc, asset.id desc ${end}`,
  );
  const rows = await queryRows(
    reader.db,
    { id: column.uuid },
    sql`select id from (${parts}) item order by taken_at desc, id desc ${end}
      offset ${sql.raw(String(offset))}`,
  );
  return rows.length < limit ? undefined : rows.map((row) => row.id);
}

function getOnlyAlbum({ albumIds, ...rest }: Filter): string | undefined {
  const [id, ...others] = albumIds?.all ?? [];
  const isAlone = others.length === 0 && !albumIds?.any && !albumIds?.none;
  return isAlone && Object.keys(rest).length === 0 ? id : undefined;
}

type MemberRequest = Pick<Window, 'start'> & {
  readonly albumId: string;
  readonly owners: readonly string[];
  readonly wanted: number;
};

/** Returns the members of the newest months that together hold `wanted` items. */
async function findRecentMembers(
  reader: Reader,
  { albumId, owners, wanted, start }: MemberRequest,
): Promise<{ since: string; ids: string[] } | undefined> {
  const at = start && sql`${start.value}::timestamptz at time zone 'utc'`;
  // Items of the month of `start` may all precede it.
  const before = at && sql`local_month < date_trunc('month', ${at})`;
  const isNear = and(
    sql`album_id = ${albumId}::uuid and local_month >= since`,
    at && sql`local_month <= ${at} + ${MAX_UTC_OFFSET}`,
  );
  const [found] = await queryRows(
    reader.db,
    { since: column.text, ids: column.uuidArray },
    sql`select since::text, array(
        select asset_id from album_asset where ${isNear}) as ids
      from (
        select local_month as since, sum(assets) over (order by local_month desc) as members from (
          select local_month, sum(assets)::int as assets from album_count
          where ${and(sql`album_id = ${albumId}::uuid and owner_id = any(${uuids(owners)})`, before)}
          group by local_month
        ) month
      ) reach
      where members >= ${wanted} and members <= ${MAX_MEMBERS} order by since desc limit 1`,
  );
  return found;
}
