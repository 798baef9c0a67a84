// The blocks of PostgreSQL that each read takes: see growth.bench.ts and test/growth.test.ts.
import { randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { loadVocabulary } from '../../src/areas/search/labels/vocabulary.ts';
import { openDatabase } from '../../src/db/client.ts';
import { withConnection } from '../../src/db/databases.ts';
import { type Amounts, furnish } from './furnish.ts';
import { openLibrary, type OpenLibrary } from './measure.ts';
import { insertLabels, insertTexts } from './seed-labels.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

/** Bytes of the answer, and the blocks of 8 KiB that it took in a process that has just started, and again. */
export type Reads = { readonly bytes: number; readonly first: number; readonly again: number };

export type Call = readonly [name: string, route: string, body?: object];

/** The same rows beside the assets in libraries of several sizes: only assets, and what is on each of them, grow. */
export const getAmounts = (small: number): Amounts => ({
  albums: [
    [2, small / 10],
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
});

export async function listCalls(sql: Sql, albumId: string): Promise<Call[]> {
  const [found] = await sql<
    Record<'tag' | 'person' | 'asset' | 'make' | 'model' | 'city', string>[]
  >`
    select (select tag_id from tag_count order by total desc limit 1) as tag,
      (select person_id from person_count order by faces desc limit 1) as person,
      (select asset.id from asset join api_key on user_id = owner_id and api_key.name = 'bench'
        where trashed_at is null limit 1) as asset,
      e.make, e.model, e.city
    from asset_exif e join asset on id = asset_id join api_key on user_id = owner_id and api_key.name = 'bench'
    where e.make is not null and e.city is not null limit 1`;
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
    ['clusters of the map', 'GET /map/clusters?bbox=-180,-85,180,85&zoom=3'],
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
    search('lens', { lensModel: 'Lens 3' }),
    search('a country that others have', { country: 'Country 3' }),
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
    [
      'a question of what is not there',
      'POST /search/ask',
      { query: 'a cat, a dog and a horse on a sofa' },
    ],
    ['names of what is not there', 'GET /search/completions?query=dog'],
    ['a question of a city', 'POST /search/ask', { query: `dogs in ${city} in 2022` }],
    ['large files', 'POST /search/large-assets?minFileSize=1000000&size=100'],
    ['random', 'POST /search/random', { size: 50 }],
    ['random of a make', 'POST /search/random', { size: 50, make }],
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
    ['counts of folders', 'GET /view/folder/counts'],
    ['duplicates', 'GET /duplicates'],
  ];
}

/** Returns what each read takes in a library of so many assets; of all else that is in it there are `amounts`. */
export async function measureReads(
  assets: number,
  amounts: Amounts,
): Promise<ReadonlyMap<string, Reads>> {
  const name = `growth_${process.pid}_${randomUUID().slice(0, 8)}`;
  const library = await seedLibrary(name, assets, { others: OTHERS });
  await planAsUsual(library);
  try {
    return await measure(library, amounts);
  } finally {
    await dropLibrary(library.name);
  }
}

/** Other tests have PostgreSQL plan each statement once. */
const planAsUsual = ({ url, name }: Library): Promise<void> =>
  withConnection(url, async (sql) => {
    await sql`alter database ${sql(name)} set plan_cache_mode = auto`;
  });

async function measure(library: Library, amounts: Amounts): Promise<Map<string, Reads>> {
  const filler = openDatabase(library.url, { max: 1 });
  await stopAutovacuum(filler.sql);
  // A sample of all rows: that of fewer differs from run to run, and so may plans.
  await filler.sql`set default_statistics_target = 600`;
  const { albumId } = await furnish(filler.sql, library, { amounts });
  const { findLabels } = await loadVocabulary();
  await insertLabels(filler.sql, { without: findLabels('dog') });
  await insertTexts(filler.sql);
  // As on servers: beyond the most frequent words the planner guesses.
  await filler.sql`reset default_statistics_target`;
  await filler.sql`analyze asset_text`;
  const calls = await listCalls(filler.sql, albumId);
  await storeSummaries(library, filler.sql, calls);
  const rounds: ReadonlyMap<string, Reads>[] = [];
  for (let round = 0; round < PROCESSES; round++) {
    const opened = openLibrary(library, 1);
    rounds.push(await measureCalls(opened, filler.sql, calls));
    await opened.close();
  }
  await filler.close();
  return takeLeast(rounds);
}

/** Work of a process after its answer, as storing what it has counted, counts for its next read: seldom in two of them. */
const PROCESSES = 2;

function takeLeast(rounds: readonly ReadonlyMap<string, Reads>[]): Map<string, Reads> {
  const least = new Map<string, Reads>();
  for (const [name, reads] of rounds.flatMap((round) => [...round])) {
    const { first, again } = least.get(name) ?? reads;
    const [firsts, agains] = [Math.min(first, reads.first), Math.min(again, reads.again)];
    least.set(name, { bytes: reads.bytes, first: firsts, again: agains });
  }
  return least;
}

/** The plans of all reads are by the statistics that `furnish` makes at its end. */
export const stopAutovacuum = (sql: Sql) =>
  sql.unsafe(`do $$ declare name text; begin
    for name in select relname from pg_stat_user_tables loop
      execute format('alter table %I set (autovacuum_enabled = off, toast.autovacuum_enabled = off)', name);
    end loop; end $$`);

/** Returns what each of the calls reads in this process, in their order; `watcher` is another connection. */
export async function measureCalls(
  opened: OpenLibrary,
  watcher: Sql,
  calls: readonly Call[],
): Promise<Map<string, Reads>> {
  const results = new Map<string, Reads>();
  for (const [name, route, body] of calls) {
    const blocks: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = await countBlocks(opened, watcher);
      bytes = JSON.stringify((await opened.request(route, body)) ?? '').length;
      blocks.push((await countBlocks(opened, watcher)) - before);
    }
    const [first = 0, ...again] = blocks;
    results.set(name, { bytes, first, again: Math.min(...again) });
  }
  return results;
}

const ROUNDS = 3;
/** Accounts that own a fifth of the assets: what they have must cost the others nothing. */
const OTHERS = 4;
/** Reads that count by month, and the kinds of what they store. */
const COUNTED = new Set(['explore', 'facets', 'folders', 'heatmap']);
const SUMMARIES = ['days', 'exif', 'folders', 'labels'];

/** Reads what is counted by month in a process of its own: it is stored then, as in a library that is used. */
export async function storeSummaries(
  library: Library,
  sql: Sql,
  calls: readonly Call[],
): Promise<void> {
  const { request, close } = openLibrary(library, 1);
  const counted = calls.filter(([name]) => COUNTED.has(name));
  for (const [, route, body] of counted) await request(route, body);
  const isStored = async () => {
    const [row] = await sql<{ isStored: boolean }[]>`
      select count(*) = ${SUMMARIES.length} * (
          select count(distinct local_month) from asset_count where owner_id = ${library.userId})
        as "isStored"
      from month_summary where owner_id = ${library.userId} and kind = any(${SUMMARIES})`;
    return row?.isStored;
  };
  while (!(await isStored())) await Bun.sleep(50);
  await close();
  await sql`vacuum analyze month_summary`;
}

/** Returns how many blocks of tables and their indexes have been read until now; those of the catalogue are left out. */
async function countBlocks({ sql }: OpenLibrary, watcher: Sql): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await watcher<{ blocks: number }[]>`
    select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
      + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0))::float8 as blocks
    from pg_statio_user_tables`;
  return row!.blocks;
}
