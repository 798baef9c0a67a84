// bun test/bench/search.bench.ts [assets …]: what searching costs, p50 and p95, in libraries of these
// sizes. On databases of the server in TEST_POSTGRES; prints a line of JSON for each.
import type { Sql } from 'postgres';
import { createApp } from '../../src/app.ts';
import { findNearestAssets } from '../../src/areas/search/semantic/embeddings.domain.ts';
import { toMatching } from '../../src/areas/search/match/matching.domain.ts';
import type { FilterFields } from '../../src/areas/search/match/filter-fields.schemas.ts';
import type { Ctx, Deps } from '../../src/core/context.ts';
import { getVectorIndex } from '../../src/inference/index.ts';
import { createSession } from '../support/harness.ts';
import { insertEmbeddings } from './seed-embeddings.ts';
import { latency, type OpenLibrary, openLibrary, requestsTo, timed } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const PEOPLE = 200;
const DIMENSION = 512;
const MODEL = 'bench';
const YEAR = { takenAfter: '2020-01-01T00:00:00Z', takenBefore: '2020-12-31T23:59:59Z' };

type Call = { readonly name: string; readonly route: string; readonly body?: object };

const CALLS: readonly Call[] = [
  { name: 'explore', route: 'GET /search/explore' },
  { name: 'cities', route: 'GET /search/cities' },
  { name: 'city counts', route: 'GET /search/cities/counts' },
  { name: 'facets', route: 'POST /search/facets', body: {} },
  { name: 'histogram, days', route: 'POST /search/histogram', body: { granularity: 'day' } },
  { name: 'histogram, months', route: 'POST /search/histogram', body: {} },
  { name: 'statistics', route: 'POST /search/statistics', body: {} },
  { name: 'histogram of a type', route: 'POST /search/histogram', body: { type: 'VIDEO' } },
  { name: 'facets of a city', route: 'POST /search/facets', body: { city: 'City 5' } },
  { name: 'facets of a year', route: 'POST /search/facets', body: YEAR },
  { name: 'facets of a camera, 25 %', route: 'POST /search/facets', body: { make: 'Canon' } },
  { name: 'histogram of a city', route: 'POST /search/histogram', body: { city: 'City 5' } },
  { name: 'histogram of a year', route: 'POST /search/histogram', body: YEAR },
  { name: 'histogram of a camera, 25 %', route: 'POST /search/histogram', body: { make: 'Canon' } },
  { name: 'a type without items', route: 'POST /search/metadata', body: { type: 'AUDIO' } },
  { name: 'a city', route: 'POST /search/metadata', body: { city: 'City 5' } },
  { name: 'a camera', route: 'POST /search/metadata', body: { make: 'Canon' } },
  { name: 'by rating', route: 'POST /search/metadata', body: { orderBy: { field: 'rating' } } },
  {
    name: 'by size',
    route: 'POST /search/metadata',
    body: { orderBy: { field: 'fileSizeInBytes' } },
  },
  {
    name: 'by local time',
    route: 'POST /search/metadata',
    body: { orderBy: { field: 'localDateTime' } },
  },
  { name: 'large assets', route: 'POST /search/large-assets' },
  { name: 'random', route: 'POST /search/random', body: {} },
  { name: 'random in a city', route: 'POST /search/random', body: { city: 'City 5' } },
  { name: 'suggestions', route: 'GET /search/suggestions?type=city' },
  { name: 'a rare word', route: 'POST /search/smart', body: { query: 'word77' } },
  { name: 'a common word', route: 'POST /search/smart', body: { query: 'lake' } },
  { name: 'a word with a slip', route: 'POST /search/smart', body: { query: 'lakee' } },
  { name: 'ask: a place and a year', route: 'POST /search/ask', body: { query: 'City 5 in 2020' } },
  { name: 'ask: words, a year', route: 'POST /search/ask', body: { query: 'lake in 2020' } },
];

/** A line for each, as soon as it is known: a large library takes a while. */
const tell = (name: string, result: object | number) =>
  console.log(JSON.stringify({ name, ...(typeof result === 'number' ? { ms: result } : result) }));

async function measure(assets: number): Promise<void> {
  const kept = process.env['SAFELIGHT_BENCH_LIBRARY'];
  const library = kept
    ? (JSON.parse(kept) as Library)
    : await seedLibrary(`bench_search_${assets}`, assets);
  const open = openLibrary(library);
  try {
    if (!kept) await addWordsAndPeople(open.sql, library.userId);
    for (const { name, route, body } of CALLS) {
      tell(name, await latency(() => open.request(route, body)));
    }
    tell('far pages, at once', await jumps(open, library, assets));
    if (!process.env['SAFELIGHT_BENCH_WITHOUT_VECTORS']) await measureMeaning(open.deps, library);
  } finally {
    await getVectorIndex(open.deps).close();
    await open.close();
    if (!kept) await dropLibrary(library.name);
  }
}

/** Each from a process that has read nothing yet, so that no page is remembered. */
async function jumps({ deps }: OpenLibrary, library: Library, assets: number) {
  const pages = Math.floor((assets * 0.8) / 250);
  let at = 0;
  return latency(async () => {
    at = (at + 997) % pages;
    const request = requestsTo(createApp({ ...deps, sql: deps.sql }), library);
    await request('POST /search/metadata', { page: Math.max(2, at) });
  });
}

async function measureMeaning(deps: Deps, { userId }: Library) {
  const { sql } = deps;
  const [known] = await sql`select 1 from embedding_model where model_id = ${MODEL}`;
  if (!known) await insertEmbeddings(sql, { modelId: MODEL, dimension: DIMENSION });
  const vectors = getVectorIndex(deps);
  tell('first read of the vectors', await timed(() => vectors.refresh(MODEL)));
  const ctx: Ctx = { ...deps, session: createSession(userId) };
  const filters: readonly (readonly [string, FilterFields])[] = [
    ['everything', {}],
    ['a city', { city: 'City 5' }],
    ['a year', YEAR],
    ['a camera, 25 %', { make: 'Canon' }],
    ['a word', { description: 'lake' }],
  ];
  for (const [name, filter] of filters) {
    const result = await latency(async () => {
      const vector = Float32Array.from({ length: DIMENSION }, () => Math.random() - 0.5);
      const matching = await toMatching(ctx, filter);
      await findNearestAssets(ctx, matching!, { modelId: MODEL, vector: unit(vector), k: 101 });
    }, 20);
    tell(`by meaning: ${name}`, result);
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** A tenth of the items have text in them, half of them show somebody. */
async function addWordsAndPeople(sql: Sql, userId: string): Promise<void> {
  await sql.unsafe(`
    insert into asset_text (asset_id, words)
    select asset.id,
      setweight(to_tsvector('simple', exif.description), 'A')
      || setweight(to_tsvector('simple', concat_ws(' ', city, state, country)), 'B')
      || setweight(to_tsvector('simple', translate(file_name, '_.', '  ')), 'C')
      || array_to_tsvector(array[':month:' || asset.local_month])
      || case when get_byte(sha1, 0) < 26 then to_tsvector('simple', (
          select string_agg('word' || (get_byte(sha1, n % 20) * 256 + get_byte(sha1, (n * 7) % 20)) % 5000, ' ')
          from generate_series(1, 30) n)) else '' end
    from asset join asset_exif exif on exif.asset_id = asset.id;
    insert into search_word values ('lake'), ('city'), ('state'), ('country');
    insert into search_word select 'term' || translate(n::text, '0123456789', 'abcdefghij')
    from generate_series(1, 100000) n;
    insert into person (owner_id, name)
    select '${userId}', 'Person ' || n from generate_series(1, ${PEOPLE}) n;
    alter table face disable trigger user`);
  await sql.unsafe(`
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height, source,
      source_revision)
    select '${userId}', asset.id, person.id, 0.1, 0.1, 0.2, 0.2, 100, 100, 'machine-learning', 'r'
    from asset join (select id, row_number() over () as n from person) person
      on person.n = 1 + get_byte(sha1, 1) % ${PEOPLE}
    where get_byte(sha1, 2) < 128`);
  // Not in one transaction with the rows: what they refer to is checked at its end.
  await sql.unsafe(`
    alter table face enable trigger user`);
  await sql.unsafe('vacuum analyze');
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000, 1_000_000]) {
  tell('assets', assets);
  await measure(assets);
}
