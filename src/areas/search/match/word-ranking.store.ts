import { sql } from 'drizzle-orm';
import { uuids } from '../../../db/arrays.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { listNewest } from './newest.store.ts';
import { type Matching, selectMatching, unionPerOwner, type Reader } from './matching.store.ts';
import { excludePlaceWeight } from './words.ts';

/** 0: typed text has the words; 1: recognized text, too; 2: word prefixes only. */
export type Grade = 0 | 1 | 2;
const RANKED_ASSET_COLUMNS = { id: column.uuid, grade: column.integer.as<Grade>() };

export type RankedAsset = InferRow<typeof RANKED_ASSET_COLUMNS>;

/** Two tsqueries: words in typed text only, and in any text. */
export type WordQueries = { readonly written: string; readonly whole: string };

/** Newest candidates that are ranked: words that more items have are not distinctive. */
export const MAX_RANKED = 500;

/** Returns matching items that have the words, best grade and rank first, then newest. */
export async function rankByWords(
  reader: Reader,
  matching: Matching & { readonly words: string },
  { written, whole }: WordQueries,
): Promise<RankedAsset[]> {
  const items = await listNewest(reader, matching, MAX_RANKED);
  if (items.length === 0) return [];
  const seesPlaces = items.map(
    ({ ownerId }) => matching.owners !== undefined && !matching.placeless.includes(ownerId),
  );
  const either = (query: string) =>
    sql`(case when sees_places then ${query}::tsquery else ${excludePlaceWeight(query)}::tsquery end)`;
  return queryRows(
    reader.db,
    RANKED_ASSET_COLUMNS,
    sql`
    select item.id, case when words @@ ${either(written)} then 0
      when words @@ ${either(whole)} then 1 else 2 end as grade
    from unnest(${uuids(items.map(({ id }) => id))}, ${`{${seesPlaces.join()}}`}::boolean[])
      with ordinality item (id, sees_places, place)
    join asset_text on asset_text.asset_id = item.id
    order by grade, ts_rank(words, ${either(whole)}) desc, place`,
  );
}

/** Returns the number of matching items, at most `most`. */
export async function countUpTo(reader: Reader, matching: Matching, most: number): Promise<number> {
  const end = sql.raw(`limit ${most}`);
  const items = unionPerOwner(
    matching,
    (owner) => sql`select 1 ${selectMatching(reader, matching, owner)} ${end}`,
  );
  const [row] = await queryRows(
    reader.db,
    { count: column.bigint },
    sql`select count(*) as count from (select 1 from (${items}) item ${end}) item`,
  );
  return Number(row?.count ?? 0);
}
