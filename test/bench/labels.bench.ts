// bun test/bench/labels.bench.ts [assets …]: ms of a search for what pictures show, p50 and p95, in libraries of these
// sizes. On databases of the server in TEST_POSTGRES; prints a line of JSON for each.
import type { Sql } from 'postgres';
import { listLabelled } from '../../src/areas/search/semantic/hybrid-ranking.domain.ts';
import { readTerms } from '../../src/areas/search/labels/query-terms.ts';
import words from '../../src/areas/search/labels/words.json' with { type: 'json' };
import { toMatching } from '../../src/areas/search/match/matching.domain.ts';
import type { Ctx } from '../../src/core/context.ts';
import { createSession } from '../support/harness.ts';
import { latency, openLibrary, timed } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const LABELS = words.labels.filter((label) => label.startsWith('tags:'));
const OBJECTS = words.labels.filter((label) => label.startsWith('objects:'));
const COLOURS = words.labels.filter((label) => label.startsWith('colours:'));
const QUERIES = ['tabby', 'cat', 'animals', 'red car', 'a dog on a sofa', 'rote Autos ohne Hunde'];

/** Four labels for each asset, two objects and a colour: any as often as the other. */
async function addLabels(sql: Sql): Promise<void> {
  await sql`create temp table label_pool as
    select split_part(name, ':', 1) as source, split_part(name, ':', 2) as label, kind,
      row_number() over (partition by kind) - 1 as place
    from (select unnest(${LABELS}::text[]) as name, 0 as kind
      union all select unnest(${OBJECTS}::text[]), 1
      union all select unnest(${COLOURS}::text[]), 2) pool`;
  await sql`alter table asset_label disable trigger all`;
  await sql`insert into asset_label (asset_id, source, label, score)
    select id, source, label, (get_byte(sha1, n) + 30) / 300.0
    from asset cross join generate_series(0, 6) n
    join label_pool on kind = case when n < 4 then 0 when n < 6 then 1 else 2 end
      and place = (get_byte(sha1, n) * 256 + get_byte(sha1, n + 8))
        % case when n < 4 then ${LABELS.length}::int when n < 6 then ${OBJECTS.length}::int else ${COLOURS.length}::int end
    on conflict do nothing`;
  await sql`insert into asset_text (asset_id, words)
    select asset_id, string_agg(quote_literal(':' || source || ':' || label) || ':4', ' ')::tsvector
    from asset_label group by asset_id`;
  await sql`vacuum analyze asset_label, asset_text`;
}

async function measure(assets: number): Promise<void> {
  const library = await seedLibrary(`bench_labels_${assets}`, assets);
  const { deps, close, sql } = openLibrary(library);
  try {
    await addLabels(sql);
    const ctx: Ctx = { ...deps, session: createSession(library.userId) };
    console.log(JSON.stringify({ name: 'vocabulary', ms: await timed(() => readTerms('Hund')) }));
    for (const [name, filter] of [
      ['all', {}],
      ['a city', { city: 'City 5' }],
    ] as const) {
      const matching = await toMatching(ctx, filter);
      for (const query of QUERIES) {
        let found = 0;
        const ms = await latency(async () => {
          const { terms } = await readTerms(query);
          found = (await listLabelled(ctx, matching!, terms, 101)).length;
        }, 20);
        console.log(JSON.stringify({ assets, set: name, query, found, ...ms }));
      }
    }
  } finally {
    await close();
    await dropLibrary(library.name);
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000]) await measure(assets);
