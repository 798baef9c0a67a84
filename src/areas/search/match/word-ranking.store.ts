import { sql } from 'drizzle-orm';
import { column, type InferRow } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { type Matching, selectMatching, unionPerOwner, type Reader } from './matching.store.ts';
import { excludePlaceWeight } from './words.ts';

/** 0: typed text has the words; 1: recognized text, too; 2: word prefixes only. */
export type Grade = 0 | 1 | 2;
const RANKED_ASSET_COLUMNS = { id: column.uuid, grade: column.integer.as<Grade>() };

export type RankedAsset = InferRow<typeof RANKED_ASSET_COLUMNS>;

/** Two tsqueries: words in typed text only, and in any text. */
export type WordQueries = { readonly written: string; readonly whole: string };

/** Newest candidates that are ranked: words that more items have are not distinctive. */
export const MAX_RANKED = 1000;

/** Returns matching items that have the words, best grade and rank first, then newest. */
export async function rankByWords(
  reader: Reader,
  matching: Matching & { readonly words: string },
  { written, whole }: WordQueries,
): Promise<RankedAsset[]> {
  const order = sql`taken_at desc, id desc limit ${sql.raw(String(MAX_RANKED))}`;
  const items = unionPerOwner(matching, (owner) => {
    const seesPlaces = owner !== undefined && !matching.placeless.includes(owner);
    return sql`select asset.id, asset.taken_at, ${sql.raw(String(seesPlaces))} as sees_places
      ${selectMatching(reader, matching, owner)} order by ${order}`;
  });
  const either = (query: string) =>
    sql`(case when sees_places then ${query}::tsquery else ${excludePlaceWeight(query)}::tsquery end)`;
  return queryRows(
    reader.db,
    RANKED_ASSET_COLUMNS,
    sql`with item as materialized (select * from (${items}) item order by ${order})
      select item.id, case when words @@ ${either(written)} then 0
        when words @@ ${either(whole)} then 1 else 2 end as grade
      from item join asset_text on asset_text.asset_id = item.id
      order by grade, ts_rank(words, ${either(whole)}) desc, item.taken_at desc, item.id desc`,
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
