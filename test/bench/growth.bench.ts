// bun test/bench/growth.bench.ts [small] [large]: how many blocks of PostgreSQL each read takes in a library of 20,000
// and in one of 160,000 assets, first and again in the same process. A read may take as many more as its answer is
// longer, or 1.5 times as many: `ratio` is what is left. Prints a line of JSON for each, the worst last.
import type { Sql } from 'postgres';
import { openDatabase } from '../../src/db/client.ts';
import { type Amounts, furnish } from './furnish.ts';
import { openLibrary, round } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const [small = 20_000, large = 160_000] = process.argv.slice(2).map(Number);

type Call = readonly [name: string, route: string, body?: object];
type Measured = { readonly bytes: number; readonly first: number; readonly again: number };

/** The same rows beside the assets in both libraries: only assets grow. */
const AMOUNTS: Amounts = {
  albums: [
    [2, 5_000],
    [50, 50],
  ],
  tags: [10, 5, 2],
  stacks: 500,
  people: 200,
  documents: 2_000,
  links: 20,
  comments: 50,
  operations: 20,
  runs: 50,
  accounts: 3,
};

async function listCalls(sql: Sql, albumId: string): Promise<Call[]> {
  const [found] = await sql<
    Record<'tag' | 'person' | 'asset' | 'make' | 'model' | 'city', string>[]
  >`
    select (select tag_id from tag_count order by total desc limit 1) as tag,
      (select person_id from person_count order by faces desc limit 1) as person,
      (select id from asset where trashed_at is null limit 1) as asset,
      e.make, e.model, e.city
    from asset_exif e where e.make is not null and e.city is not null limit 1`;
  const { tag, person, asset, make, model, city } = found!;
  const search = (name: string, body: object): Call => [
    `search by ${name}`,
    'POST /search/metadata',
    { size: 100, ...body },
  ];
  return [
    ['months', 'GET /timeline/buckets?visibility=timeline'],
    ['months of favourites', 'GET /timeline/buckets?isFavorite=true'],
    ['months of an album', `GET /timeline/buckets?albumId=${albumId}`],
    ['months of a tag', `GET /timeline/buckets?tagId=${tag}`],
    ['months of a person', `GET /timeline/buckets?personId=${person}`],
    ['asset', `GET /assets/${asset}`],
    ['asset statistics', 'GET /assets/statistics'],
    ['map', 'GET /map/markers'],
    ['favourites on the map', 'GET /map/markers?isFavorite=true'],
    ['clusters of the map', 'GET /map/clusters?west=-180&south=-85&east=180&north=85&zoom=3'],
    ['explore', 'GET /search/explore'],
    ['cities', 'GET /search/cities'],
    ['counts of cities', 'GET /search/cities/counts'],
    ['facets', 'POST /search/facets', {}],
    ['histogram', 'POST /search/histogram', { granularity: 'month' }],
    ['statistics', 'POST /search/statistics', {}],
    ['suggestions of makes', 'GET /search/suggestions?type=camera-make'],
    ['suggestions of cities', 'GET /search/suggestions?type=city'],
    search('nothing', {}),
    search('favourite', { isFavorite: true }),
    search('type', { type: 'VIDEO' }),
    search('make', { make }),
    search('make and model', { make, model }),
    search('make and favourite', { make, isFavorite: true }),
    search('a make that nobody has', { make: 'Nobody' }),
    search('city', { city }),
    search('city and favourite', { city, isFavorite: true }),
    search('name', { originalFileName: 'IMG_55' }),
    search('description', { description: 'beach' }),
    search('a description that nobody has', { description: 'zzyzx' }),
    search('tag', { tagIds: [tag] }),
    search('person', { personIds: [person] }),
    search('album', { albumIds: [albumId] }),
    search('rating', { rating: 5 }),
    search('days', {
      takenAfter: '2022-01-01T00:00:00.000Z',
      takenBefore: '2022-02-01T00:00:00.000Z',
    }),
    search('no album', { isNotInAlbum: true }),
    search('motion photos', { isMotion: true }),
    search('recently added', { order: 'desc', createdAfter: '2020-01-01T00:00:00.000Z' }),
    ['large files', 'POST /search/large-assets?minFileSize=1000000&size=100'],
    ['random', 'POST /search/random', { size: 50 }],
    ['people', 'GET /people?size=100'],
    ['tags', 'GET /tags'],
    ['albums', 'GET /albums'],
    ['album', `GET /albums/${albumId}`],
    ['stacks', 'GET /stacks'],
    ['documents', 'GET /documents?size=50'],
    ['memories', 'GET /memories'],
    ['trash', 'GET /trash/items?size=100'],
    ['summary of the trash', 'GET /trash/summary'],
    ['heatmap', 'GET /users/me/calendar-heatmap'],
    ['folders', 'GET /view/folder/unique-paths'],
    ['duplicates', 'GET /duplicates'],
    ['sync of assets', 'POST /sync/stream', { types: ['AlbumsV1', 'UsersV1'] }],
  ];
}

/** Blocks that all connections to this database have read until now. */
async function countBlocks(sql: Sql, watcher: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await watcher<{ blocks: number }[]>`
    select (blks_hit + blks_read)::float8 as blocks from pg_stat_database where datname = current_database()`;
  return row?.blocks ?? 0;
}

async function measure(library: Library): Promise<Map<string, Measured>> {
  const { sql, request, close } = openLibrary(library, 1);
  const watcher = openDatabase(library.url, { max: 1 });
  const { albumId } = await furnish(sql, library, { amounts: AMOUNTS });
  const results = new Map<string, Measured>();
  for (const [name, route, body] of await listCalls(sql, albumId)) {
    const blocks: number[] = [];
    let bytes = 0;
    for (let round = 0; round < 3; round++) {
      const before = await countBlocks(sql, watcher.sql);
      const answer = await request(route, body).catch((error: Error) => error);
      if (answer instanceof Error) {
        console.log(JSON.stringify({ name, failed: answer.message.slice(0, 200) }));
        break;
      }
      bytes = JSON.stringify(answer ?? '').length;
      await Bun.sleep(20);
      blocks.push((await countBlocks(sql, watcher.sql)) - before);
    }
    const [first, ...again] = blocks;
    if (first !== undefined) results.set(name, { bytes, first, again: Math.min(...again) });
  }
  await watcher.close();
  await close();
  return results;
}

async function measureSize(assets: number): Promise<Map<string, Measured>> {
  const library = await seedLibrary(`bench_growth_${assets}`, assets);
  try {
    return await measure(library);
  } finally {
    await dropLibrary(library.name);
  }
}

/** Blocks that counting takes by itself. */
const FEW = 60;
const grow = (before: number, after: number): number => (after + FEW) / (before + FEW);

const [less, more] = [await measureSize(small), await measureSize(large)];
const rows = [...less].flatMap(([name, before]) => {
  const after = more.get(name);
  if (!after) return [];
  const longer = Math.max(1, after.bytes / before.bytes);
  const ratio = round(
    Math.max(grow(before.first, after.first), grow(before.again, after.again)) / longer,
  );
  return [{ name, ratio, longer: round(longer), before, after }];
});
for (const row of rows.toSorted((a, b) => a.ratio - b.ratio)) console.log(JSON.stringify(row));
process.exit(0);
