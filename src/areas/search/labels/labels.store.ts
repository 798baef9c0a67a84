import { sql } from 'drizzle-orm';
import { column, type InferRow } from '../../../db/columns.ts';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import type { Label } from '../../../inference/index.ts';
import {
  type Matching,
  selectMatching,
  unionPerOwner,
  type Reader,
} from '../match/matching.store.ts';
import { MAX_RANKED } from '../match/word-ranking.store.ts';
import { toLabelTsquery } from '../match/words.ts';
import { isColour, type LabelTerm } from './query-terms.ts';

/** Replaces the labels that a model has given to an asset. */
export async function saveLabels(
  db: Db,
  assetId: string,
  source: 'tags' | 'objects' | 'colours',
  labels: readonly Label[],
): Promise<void> {
  const given = sql`jsonb_to_recordset(${JSON.stringify(labels)}::jsonb) given (label text, score real)`;
  await queryRows(
    db,
    sql`
    delete from asset_label where asset_id = ${assetId} and source = ${source}
      and label not in (select label from ${given})`,
  );
  await queryRows(
    db,
    sql`
    insert into asset_label (asset_id, source, label, score)
    select ${assetId}, ${source}, label, max(score) from ${given} group by label order by label
    on conflict (asset_id, source, label) do update set score = excluded.score
    where asset_label.score <> excluded.score`,
  );
}

/** The numbers of terms that an asset shows: those that are no colours, and all. */
const LABELLED_COLUMNS = { id: column.uuid, things: column.integer, terms: column.integer };

/** Probability below which an asset is not taken to show a term. */
export const MIN_PROBABILITY = 0.1;

/**
 * Returns matching assets that probably show a term, those with most terms first, colours last, then the most probable ones. Tags
 * exclude each other, so that their probabilities add up; objects and colours do not.
 */
export const rankByLabels = async (
  reader: Reader,
  matching: Matching,
  terms: readonly LabelTerm[],
): Promise<InferRow<typeof LABELLED_COLUMNS>[]> => {
  const words = toLabelTsquery(terms.flatMap(({ labels }) => labels));
  const order = sql`taken_at desc, id desc limit ${sql.raw(String(MAX_RANKED))}`;
  const items = unionPerOwner(
    matching,
    (owner) => sql`
      select asset.id, asset.taken_at ${selectMatching(reader, { ...matching, words }, owner)}
      order by ${order}`,
  );
  const lists = JSON.stringify(
    terms.map((term) => ({ labels: term.labels, isThing: !isColour(term) })),
  );
  return queryRows(
    reader.db,
    LABELLED_COLUMNS,
    sql`
    with item as materialized (select * from (${items}) item order by ${order}),
    term as materialized (
      select place, (item ->> 'isThing')::boolean as is_thing,
        array(select jsonb_array_elements_text(item -> 'labels')) as labels
      from jsonb_array_elements(${lists}::jsonb) with ordinality term (item, place)
    ), seen as (
      select item.id, item.taken_at, term.is_thing,
        1 - (1 - least(1, coalesce(sum(score) filter (where source = 'tags'), 0)))
          * (1 - coalesce(max(score) filter (where source <> 'tags'), 0)) as probability
      from item join asset_label on asset_label.asset_id = item.id
        join term on source || ':' || label = any(term.labels)
      group by item.id, item.taken_at, term.place, term.is_thing
    )
    select id, count(*) filter (where is_thing)::int as things, count(*)::int as terms
    from seen where probability >= ${MIN_PROBABILITY}::float8 group by id, taken_at
    order by things desc, terms desc, sum(probability) desc, taken_at desc, id desc`,
  );
};
