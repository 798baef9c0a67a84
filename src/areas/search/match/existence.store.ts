import { type SQL, sql } from 'drizzle-orm';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { type Matching, type Reader, selectMatching, unionPerOwner } from './matching.store.ts';
import { toLabelTsquery } from './words.ts';

/** Items that are looked at first: of what many show, some of them show it. */
const SAMPLE = 200;

/**
 * Returns for each list of labels whether any matching item has one of them. Of labels that are not among the most frequent
 * the planner expects some matches, and would look through all items for the first: of 1,000,000 assets, sixteen lists
 * of labels that none has take 20 s and more, and 30 ms where a few items are looked at, and then the text index is
 * asked.
 */
export async function findShown(
  reader: Reader,
  matching: Matching,
  lists: readonly (readonly string[])[],
): Promise<readonly boolean[]> {
  const isUnfiltered = hasOnlyScope(matching);
  const some = unionPerOwner(
    matching,
    (owner) => sql`select asset.id ${selectMatching(reader, matching, owner)} limit ${SAMPLE}`,
  );
  const found = lists.map((labels) => {
    const labelled = { ...matching, labels: [labels] };
    if (!isUnfiltered) return existsAny(reader, labelled);
    const query = toLabelTsquery(labels);
    return sql`(exists (select from sample where words @@ ${query}::tsquery)
      or ${existsAny(reader, { ...labelled, textOrder: 'first' })})`;
  });
  const [row] = await queryRows(
    reader.db,
    { shown: column.json<readonly boolean[]>() },
    sql`with sample as materialized (
        select words from (${some}) item join asset_text on asset_id = item.id)
      select jsonb_build_array(${sql.join(found, sql`, `)}) as shown`,
  );
  return row?.shown ?? [];
}

/** Returns whether any item matches. */
export async function hasAny(reader: Reader, matching: Matching): Promise<boolean> {
  const [row] = await queryRows(
    reader.db,
    { found: column.boolean },
    sql`select ${existsAny(reader, matching)} as found`,
  );
  return row?.found ?? false;
}

function existsAny(reader: Reader, matching: Matching): SQL {
  const items = unionPerOwner(
    matching,
    (owner) => sql`select 1 ${selectMatching(reader, matching, owner)} limit 1`,
  );
  return sql`exists (${items})`;
}

/** Whether any few items of the set are found at once. */
const hasOnlyScope = ({ filter, albums, petIds, enrichment, hidden }: Matching): boolean =>
  Object.keys(filter).length === 0 && !albums && !petIds && !enrichment && hidden !== 'only';
