import { type SQL, sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { uuids } from '../../db/arrays.ts';
import { selectMembers } from './match/fields.store.ts';
import { MAX_UTC_OFFSET } from './match/filter.store.ts';
import { type Reader, selectMatching, unionPerOwner } from './match/matching.store.ts';
import { type SearchQuery, type Window, getPlace, isAtOrBehind } from './store.ts';

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
  const members = selectMembers(reader.session, query.filter, sql`${isBehind} ${newest}`);
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
const findLocalTime = ({ field, direction }: SearchQuery) =>
  direction === 'desc' ? LOCAL_TIMES[field] : undefined;

const LOCAL_TIMES: Partial<Record<SearchQuery['field'], (value: string) => SQL>> = {
  fileCreatedAt: (value) => sql`${value}::timestamptz at time zone 'utc' + ${MAX_UTC_OFFSET}`,
  localDateTime: (value) => sql`${value}::timestamp`,
};

// A part of a file name or of a description, which an index of trigrams finds in no order. The planner rather reads the
// library by time until it has a page, and file names follow time: it reads all that is newer than the matches. Of
// 1,000,000 assets that takes 1.3 s for 11,000 and 1.8 s for 110,000 old matches, and 0.05 and 0.35 s by the steps below.

/**
 * Numbers of matches that are sorted: few at once, many where the newest items have no page of them. Of a text that most
 * items have, the few are read in vain: 10,000 take 80 ms.
 */
export const FEW_MATCHES = 1_000;
export const MANY_MATCHES = 200_000;
/** In the months of so many newest items a page is looked for, where more than a few match. */
export const NEWEST = 10_000;
/** Shorter texts have no trigrams. */
const MIN_LETTERS = 3;

type PageWindow = Pick<Window, 'start' | 'offset' | 'limit'>;

/** Returns the ids of a page of items that match a part of a text. Undefined where more than `maximum` match. */
export async function findTextPage(
  reader: Reader,
  query: SearchQuery,
  { start, offset, limit }: PageWindow,
  maximum: number,
): Promise<string[] | undefined> {
  const most = sql.raw(`limit ${maximum + 1}`);
  const only = start && isAtOrBehind(query, start);
  const parts = unionPerOwner(
    query,
    (owner) => sql`select asset.id, ${getPlace(query)} as place
      ${selectMatching(reader, query, owner, { only })} ${most}`,
  );
  const direction = sql.raw(query.direction);
  const rows = await queryRows(
    reader.db,
    { isAll: column.boolean, ids: column.uuidArray },
    sql`with found as materialized (select * from (${parts}) item ${most})
      select count(*) <= ${maximum} as "isAll", array(
        select id from found order by place ${direction}, id ${direction}
        ${sql.raw(`limit ${limit} offset ${offset}`)}) as ids
      from found`,
  );
  const { isAll, ids } = getRow(rows);
  return isAll ? ids : undefined;
}

/**
 * Returns the first day of the month since which the accounts have so many items, at or behind the start. Undefined where
 * they have fewer, or the listing has another order than the newest first.
 */
export async function findRecentMonth(
  { db }: Reader,
  query: SearchQuery,
  { start }: PageWindow,
): Promise<string | undefined> {
  const toLocalTime = findLocalTime(query);
  if (!toLocalTime || !query.owners) return undefined;
  const isBehind = start ? sql`local_month <= ${toLocalTime(start.value)}` : sql`true`;
  const [row] = await queryRows(
    db,
    { month: column.text },
    sql`select local_month::text as month from (
        select local_month, sum(sum(assets)) over (order by local_month desc) as total
        from asset_count where owner_id = any(${uuids(query.owners)}) and ${isBehind}
        group by local_month) summed
      where total >= ${NEWEST} order by local_month desc limit 1`,
  );
  return row?.month;
}

/** Whether a query filters by a part of a text that the index finds, and can sort what it finds. */
export const isOfTextPart = ({ filter, field }: SearchQuery): boolean =>
  field !== 'rating' &&
  [filter.originalFileName?.like, filter.description?.like].some(
    (part) => part !== undefined && part.length >= MIN_LETTERS,
  );
