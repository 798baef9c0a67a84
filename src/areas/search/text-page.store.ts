import { sql } from 'drizzle-orm';
import { column } from '../../db/columns.ts';
import { getRow, queryRows } from '../../db/query.ts';
import type { Filter } from './match/filter.schemas.ts';
import { type Reader, selectMatching, unionPerOwner } from './match/matching.store.ts';
import { getPlace, isAtOrBehind, type SearchQuery, type Window } from './store.ts';

// A part of a file name or of a description, which an index of trigrams finds in no order. The planner rather reads the
// library by time until it has a page, and file names follow time: it reads all that is newer than the matches.

/** Largest number of matches to sort: with more, a scan by time soon fills a page. */
const MAX_MATCHES = 10_000;
/** Shorter texts have no trigrams. */
const MIN_LETTERS = 3;

/**
 * Returns the ids of a page of items that match a part of a text. Undefined where the query filters by none, or where
 * many items match.
 */
export async function findTextPage(
  reader: Reader,
  query: SearchQuery,
  { start, offset, limit }: Pick<Window, 'start' | 'offset' | 'limit'>,
): Promise<string[] | undefined> {
  if (!hasTextPart(query.filter) || query.field === 'rating') return undefined;
  const most = sql.raw(`limit ${MAX_MATCHES + 1}`);
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
      select count(*) <= ${MAX_MATCHES} as "isAll", array(
        select id from found order by place ${direction}, id ${direction}
        ${sql.raw(`limit ${limit} offset ${offset}`)}) as ids
      from found`,
  );
  const { isAll, ids } = getRow(rows);
  return isAll ? ids : undefined;
}

const hasTextPart = ({ originalFileName, description }: Filter): boolean =>
  [originalFileName?.like, description?.like].some(
    (part) => part !== undefined && part.length >= MIN_LETTERS,
  );
