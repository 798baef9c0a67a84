import type { Sql } from 'postgres';
import { insertUnindexed } from './seed.ts';
import words from '../../src/areas/search/labels/words.json' with { type: 'json' };

const LABELS = words.labels.filter((label) => label.startsWith('tags:'));
const OBJECTS = words.labels.filter((label) => label.startsWith('objects:'));
const COLOURS = words.labels.filter((label) => label.startsWith('colours:'));

/** Four labels for each asset, two objects and a colour: any as often as the other, but none of `without`. */
export async function insertLabels(
  sql: Sql,
  { without = [] }: { readonly without?: readonly string[] | undefined } = {},
): Promise<void> {
  const listed = (labels: readonly string[]) => labels.filter((label) => !without.includes(label));
  const [tags, objects] = [listed(LABELS), listed(OBJECTS)];
  await sql`create temp table label_pool as
    select split_part(name, ':', 1) as source, split_part(name, ':', 2) as label, kind,
      row_number() over (partition by kind) - 1 as place
    from (select unnest(${tags}::text[]) as name, 0 as kind
      union all select unnest(${objects}::text[]), 1
      union all select unnest(${COLOURS}::text[]), 2) pool`;
  await sql`analyze label_pool`;
  await insertUnindexed(
    sql,
    ['asset_label'],
    () => sql`insert into asset_label (asset_id, source, label, score)
      select distinct on (id, source, label) id, source, label, (get_byte(sha1, n) + 30) / 300.0
      from asset cross join generate_series(0, 6) n
      join label_pool on kind = case when n < 4 then 0 when n < 6 then 1 else 2 end
        and place = (get_byte(sha1, n) * 256 + get_byte(sha1, n + 8))
          % case when n < 4 then ${tags.length}::int when n < 6 then ${objects.length}::int else ${COLOURS.length}::int end
      order by id, source, label, n`,
  );
}

/** Fills the text index: description, place, file name, month and labels of each asset. It is built once, at the end. */
export async function insertTexts(sql: Sql): Promise<void> {
  const [index] = await sql<{ definition: string }[]>`
    select pg_get_indexdef('asset_text_words'::regclass) as definition`;
  await sql`drop index asset_text_words`;
  await sql`insert into asset_text (asset_id, words)
    select asset.id,
      setweight(to_tsvector('simple', exif.description), 'A')
      || setweight(to_tsvector('simple', concat_ws(' ', city, state, country)), 'B')
      || setweight(to_tsvector('simple', translate(file_name, '_.', '  ')), 'C')
      || array_to_tsvector(array[':month:' || asset.local_month])
      || coalesce(label.vector, '')
    from asset join asset_exif exif on exif.asset_id = asset.id
    left join (
      select asset_id, string_agg(quote_literal(':' || source || ':' || label) || ':4', ' ')::tsvector as vector
      from asset_label group by asset_id) label on label.asset_id = asset.id`;
  await sql.unsafe(index!.definition);
}
