import { type SQL, sql } from 'drizzle-orm';
import { texts, uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryLists } from '../../../db/lists.ts';
import { queryRows } from '../../../db/query.ts';
import type { Label } from '../../../inference/index.ts';
import { selectByTexts } from '../match/filter.store.ts';
import type { Matching, Reader } from '../match/matching.store.ts';
import { listNewest } from '../match/newest.store.ts';
import { MAX_RANKED } from '../match/word-ranking.store.ts';
import { selectLabels } from '../match/texts.store.ts';
import { toLabelTsquery } from '../match/words.ts';
import { findRemoved } from './decisions.store.ts';
import { isColour, type LabelTerm } from './query-terms.ts';
import { isOwn } from './own-labels.ts';
import { loadVocabulary, toLabelName } from './vocabulary.ts';

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

/** Share of the best certainty that results of a colour have at least: most pictures have a little of each colour. */
const MIN_COLOURED_SHARE = 0.5;

/**
 * Returns up to `most` matching assets that probably show the terms, those that show most of them first, then the most
 * probable ones. Of more than are ranked the newest come first, and the others behind them.
 */
export async function rankByLabels(
  reader: Reader,
  matching: Matching & { readonly labels: readonly (readonly string[])[] },
  terms: readonly LabelTerm[],
  most: number,
): Promise<string[]> {
  const items = await listNewest(reader, matching, Math.max(MAX_RANKED, most));
  const ids = items.map(({ id }) => id);
  const first = ids.slice(0, MAX_RANKED);
  const [all, removed] = await Promise.all([
    listRanked(reader.db, first, terms),
    findRemoved(reader.db, first, listScenes(terms)),
  ]);
  const ranked = all.filter(({ id }) => !removed.has(id));
  const rest = ids.length <= MAX_RANKED ? [] : ids.slice(MAX_RANKED);
  const certain = terms.length > 1 && terms.some(isColour) ? keepCertain(ranked) : ranked;
  return [...certain.map(({ id }) => id), ...rest];
}

/**
 * Returns whether anybody has given one of the labels, to an asset in any state: the caller is told of own ones only. Of
 * rare words the planner expects many matches, and would read all texts for the first: 300 ms of 1,000,000, and 0.1 ms by
 * the index.
 */
export async function isGivenAnywhere(db: Db, labels: readonly string[]): Promise<boolean> {
  const [row] = await queryRows(
    db,
    { isGiven: column.boolean },
    sql`with given as materialized (${selectByTexts([toLabelTsquery(labels)])})
      select exists (select from given) as "isGiven"`,
  );
  return row?.isGiven ?? false;
}

/** A scene is removed with what belongs to it: the alps are no mountains there. */
const listScenes = (terms: readonly LabelTerm[]): string[] =>
  terms.flatMap(({ labels }) =>
    labels.filter((label) => label.startsWith('scenes:')).map(toLabelName),
  );

type Ranked = { readonly id: string; readonly certainty: number };

function keepCertain(ranked: readonly Ranked[]): readonly Ranked[] {
  const best = Math.max(0, ...ranked.map(({ certainty }) => certainty));
  return ranked.filter(({ certainty }) => certainty >= best * MIN_COLOURED_SHARE);
}

/** Animals that the model of objects tells apart more surely than the one of tags: where it sees another, it is right. */
const SPECIES = 'bird cat dog horse sheep cow elephant bear zebra giraffe'.split(' ');

/** Labels that people gave are found by the text index, which knows them in each language. */
const selectOwn = (names: readonly string[]): SQL =>
  names.length === 0
    ? sql``
    : sql`union all
      select item.id, item_place, 'own', label, 1::real, 'own:' || label
      from item join asset_text on asset_text.asset_id = item.id
      cross join unnest(${texts(names.map(toLabelName))}, ${texts(
        names.map((name) => toLabelTsquery([name])),
      )}) own (label, query)
      where words @@ query::tsquery`;

/**
 * Ranks items, which are given newest first. Tags exclude each other, so that their probabilities add up; objects and
 * colours do not.
 */
async function listRanked(
  db: Db,
  ids: readonly string[],
  terms: readonly LabelTerm[],
): Promise<Ranked[]> {
  const lists = JSON.stringify(terms.map(({ labels }) => labels));
  const names = [
    ...terms.flatMap(({ labels }) => labels),
    ...SPECIES.map((label) => `objects:${label}`),
  ];
  const { broader } = await loadVocabulary();
  const found = await queryLists(
    db,
    ['id', 'certainty'],
    sql`
    with item as materialized (
      select * from unnest(${uuids(ids)}) with ordinality item (id, item_place)
    ), given as materialized (
      select item.id, item_place, label.source, label.label, label.score,
        label.source || ':' || label.label as name
      from item cross join lateral ${selectLabels(sql`item.id`, broader)} label
      where label.label = any(${texts(names.map(toLabelName))})
        and label.source || ':' || label.label = any(${texts(names)})
      ${selectOwn(names.filter(isOwn))}
    ), species as materialized (
      select id, array_agg(name) as names from given
      where source = 'objects' and score > 0 and label = any(${texts(SPECIES)}) group by id
    ), term as materialized (
      select place, labels, labels && array(
        select 'objects:' || name from unnest(${texts(SPECIES)}) name) as is_species
      from (
        select place, array(select jsonb_array_elements_text(labels)) as labels
        from jsonb_array_elements(${lists}::jsonb) with ordinality term (labels, place)) term
    ), wanted as materialized (
      select distinct place, is_species, name from term cross join unnest(labels) name
    ), seen as (
      select given.id, given.item_place, wanted.place,
        1 - (1 - least(1, coalesce(sum(score) filter (where source = 'tags' and not (
            is_species and names is not null
            and not names && (select labels from term where term.place = wanted.place))), 0)))
          * (1 - coalesce(max(score) filter (where source <> 'tags'), 0)) as probability
      from given join wanted using (name) left join species on species.id = given.id
      group by given.id, given.item_place, wanted.place
    )
    select id, exp(sum(ln(probability)))::real as certainty
    from seen where probability > 0 group by id, item_place
    order by count(*) desc, sum(probability) desc, item_place`,
  );
  return found.map(({ id, certainty }) => ({ id, certainty: Number(certainty) }));
}

/** Returns the colours that a picture has much of. */
export async function listColours(db: Db, assetId: string): Promise<string[]> {
  const rows = await queryRows(
    db,
    { label: column.text },
    sql`select label from asset_label where asset_id = ${assetId} and source = 'colours'`,
  );
  return rows.map(({ label }) => label);
}
