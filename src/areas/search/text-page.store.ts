import { sql } from 'drizzle-orm';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import { type Reader, selectMatching, unionPerOwner } from './match/matching.store.ts';
import { findLocalTime } from './member-page.store.ts';
import { getPlace, isAtOrBehind, type SearchQuery, type Window } from './store.ts';

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
