import { type SQL, sql } from 'drizzle-orm';
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
import { selectLabels } from './decisions.store.ts';
import { isColour, type LabelTerm } from './query-terms.ts';

/** Replaces the labels that a model has given to an asset. */
export async function saveLabels(
  db: Db,
  assetId: string,
  source: 'tags' | 'objects' | 'colours' | 'scenes',
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

const ID_COLUMNS = { id: column.uuid };
const RANKED_COLUMNS = { id: column.uuid, certainty: column.float };
/** Share of the best certainty that results of a colour have at least: most pictures have a little of each colour. */
const MIN_COLOURED_SHARE = 0.5;

/**
 * Returns up to `most` matching assets that probably show the terms, those that show most of them first, then the most
 * probable ones. Of more than are ranked the newest come first, and the others behind them.
 */
export async function rankByLabels(
  reader: Reader,
  matching: Matching & { readonly labels: readonly string[] },
  terms: readonly LabelTerm[],
  most: number,
): Promise<string[]> {
  const ranked = await listRanked(reader, matching, terms);
  const rest =
    ranked.length < MAX_RANKED || most <= MAX_RANKED
      ? []
      : await listCandidates(reader, matching, { offset: MAX_RANKED, limit: most - MAX_RANKED });
  const certain = terms.length > 1 && terms.some(isColour) ? keepCertain(ranked) : ranked;
  return [...certain, ...rest].map(({ id }) => id);
}

type Ranked = InferRow<typeof RANKED_COLUMNS>;

function keepCertain(ranked: readonly Ranked[]): readonly Ranked[] {
  const best = Math.max(0, ...ranked.map(({ certainty }) => certainty));
  return ranked.filter(({ certainty }) => certainty >= best * MIN_COLOURED_SHARE);
}

type Part = { readonly offset: number; readonly limit: number };

/** Newest first. */
function selectCandidates(reader: Reader, matching: Matching, { offset, limit }: Part): SQL {
  const order = sql`taken_at desc, id desc limit`;
  const items = unionPerOwner(
    matching,
    (owner) => sql`
      select asset.id, asset.taken_at ${selectMatching(reader, matching, owner)}
      order by ${order} ${offset + limit}::int`,
  );
  return sql`select * from (${items}) item order by ${order} ${limit}::int offset ${offset}::int`;
}

const listCandidates = (reader: Reader, matching: Matching, part: Part) =>
  queryRows(
    reader.db,
    ID_COLUMNS,
    sql`select id from (${selectCandidates(reader, matching, part)}) item`,
  );

/** Animals that the model of objects tells apart more surely than the one of tags: where it sees another, it is right. */
const SPECIES = '{bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe}';

/** Tags exclude each other, so that their probabilities add up; objects and colours do not. */
function listRanked(reader: Reader, matching: Matching, terms: readonly LabelTerm[]) {
  const lists = JSON.stringify(terms.map(({ labels }) => labels));
  return queryRows(
    reader.db,
    RANKED_COLUMNS,
    sql`
    with item as materialized (
      ${selectCandidates(reader, matching, { offset: 0, limit: MAX_RANKED })}
    ), given as materialized (
      select item.id, item.taken_at, label.source, label.label, label.score,
        label.source || ':' || label.label as name
      from item cross join lateral ${selectLabels(sql`item.id`)} label
    ), species as materialized (
      select id, array_agg(name) as names from given
      where source = 'objects' and score > 0 and label = any(${SPECIES}::text[]) group by id
    ), term as materialized (
      select place, labels, labels && array(
        select 'objects:' || name from unnest(${SPECIES}::text[]) name) as is_species
      from (
        select place, array(select jsonb_array_elements_text(labels)) as labels
        from jsonb_array_elements(${lists}::jsonb) with ordinality term (labels, place)) term
    ), wanted as materialized (
      select distinct place, is_species, name from term cross join unnest(labels) name
    ), seen as (
      select given.id, given.taken_at, wanted.place,
        1 - (1 - least(1, coalesce(sum(score) filter (where source = 'tags' and not (
            is_species and names is not null
            and not names && (select labels from term where term.place = wanted.place))), 0)))
          * (1 - coalesce(max(score) filter (where source <> 'tags'), 0)) as probability
      from given join wanted using (name) left join species on species.id = given.id
      group by given.id, given.taken_at, wanted.place
    )
    select id, exp(sum(ln(probability)))::real as certainty
    from seen where probability > 0 group by id, taken_at
    order by count(*) desc, sum(probability) desc, taken_at desc, id desc`,
  );
}
