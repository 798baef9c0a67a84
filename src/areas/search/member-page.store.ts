import { type SQL, sql } from 'drizzle-orm';
import { isOpenAlbum } from '../../access/albums.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { uuids } from '../../db/arrays.ts';
import type { Filter, FilterBranch } from './match/filter.schemas.ts';
import { MAX_UTC_OFFSET } from './match/filter.store.ts';
import type { Reader } from './match/matching.store.ts';
import { selectTagTree } from './match/membership.store.ts';
import type { SearchQuery, Window } from './store.ts';

// The newest items of an album, a tag or a person, whose rows have the month of the item and an index by it. Scanning
// the library by time and probing the set for each item reads ten times as many rows for a tenth of the library, and
// all of the library for a few items; reading the whole set takes longer the larger it is. Of 1,000,000 assets, 30,000 old
// ones of a tag take 2.9 s by time, of a person 2.1, and an album of 100,000 0.55; so 0.02.

/** Members that are read for each item of a page: some are archived or in the trash, some have two faces. */
const MEMBERS_PER_ITEM = 1.5;
/** Largest number of members that are looked up and sorted. */
const MAX_MEMBERS = 20_000;

export type NewestMembers = {
  readonly ids: readonly string[];
  /** The first day of their first month; undefined where they are all. */
  readonly since: string | undefined;
};

/**
 * Returns the members of the newest months of an album, tag or person, among which a page most probably is. Undefined
 * where the query filters by anything else, or is sorted in another way.
 */
export async function findNewestMembers(
  reader: Reader,
  query: SearchQuery,
  { start, offset, limit }: Pick<Window, 'start' | 'offset' | 'limit'>,
): Promise<NewestMembers | undefined> {
  const toLocalTime = findLocalTime(query);
  const isListed = query.scope === 'timeline' || query.scope === 'library';
  const isPlain =
    isListed && !query.isUnstacked && !query.withTrashed && !query.words && !query.ids;
  const wanted = Math.ceil((offset + limit) * MEMBERS_PER_ITEM);
  const isOfAccount = query.owners !== undefined || query.albums !== undefined;
  if (!toLocalTime || !isOfAccount || !isPlain || wanted > MAX_MEMBERS) return undefined;
  const newest = sql.raw(`order by local_month desc fetch first ${wanted} rows with ties`);
  const isBehind = start ? sql`local_month <= ${toLocalTime(start.value)}` : sql`true`;
  const members = selectMembers(reader, query.filter, sql`${isBehind} ${newest}`);
  if (!members) return undefined;
  const rows = await queryRows(
    reader.db,
    { count: column.bigint, since: column.text.orNull, ids: column.uuidArray.orNull },
    sql`with member as materialized (select * from (${members}) member ${newest})
      select count(*) as count, min(local_month)::text as since,
        case when count(*) <= ${MAX_MEMBERS} then array(select asset_id from member) end as ids
      from member`,
  );
  const { count, since, ids } = getRow(rows);
  return ids ? { ids, since: (Number(count) >= wanted && since) || undefined } : undefined;
}

/** Returns how a listing of the newest first tells the local time that no item at or behind a position exceeds. */
export const findLocalTime = ({ field, direction }: SearchQuery) =>
  direction === 'desc' ? LOCAL_TIMES[field] : undefined;

const LOCAL_TIMES: Partial<Record<SearchQuery['field'], (value: string) => SQL>> = {
  fileCreatedAt: (value) => sql`${value}::timestamptz at time zone 'utc' + ${MAX_UTC_OFFSET}`,
  localDateTime: (value) => sql`${value}::timestamp`,
};

/**
 * Selects `asset_id` and `local_month` of the members of the only set that the filter names, as far as they are the
 * viewer's to know. `rest` follows the conditions.
 */
function selectMembers({ session }: Reader, filter: Filter, rest: SQL): SQL | undefined {
  const { albumIds, tagIds, personIds, ...others } = filter;
  const named = [albumIds, tagIds, personIds].filter((ids) => ids !== undefined);
  if (named.length !== 1 || Object.keys(others).length > 0) return undefined;
  const viewerId = session.kind === 'user' ? session.userId : null;
  const [albumId, tagId, personId] = [albumIds, tagIds, personIds].map(getOnlyId);
  if (albumId !== undefined) {
    return sql`select asset_id, local_month from album_asset
      where album_id = ${albumId}::uuid and ${isOpenAlbum(session)} and ${rest}`;
  }
  if (tagId !== undefined) {
    return sql`select member.* from (${selectTagTree(uuids([tagId]), sql`${viewerId}::uuid`)}
        select distinct id from below) tag
      cross join lateral (
        select asset_id, local_month from tag_asset where tag_id = tag.id and ${rest}) member`;
  }
  if (personId === undefined) return undefined;
  return sql`select asset_id, local_month from face
    where person_id = (select id from person
        where id = ${personId}::uuid and owner_id = ${viewerId}::uuid)
      and not is_hidden and ${rest}`;
}

function getOnlyId(ids: FilterBranch['albumIds']): string | undefined {
  const [id, ...others] = ids?.all ?? [];
  return others.length === 0 && !ids?.any && !ids?.none ? id : undefined;
}
