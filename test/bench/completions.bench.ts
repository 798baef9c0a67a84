// bun test/bench/completions.bench.ts [assets …]: ms of the suggestions for what is typed, p50 and p95, in libraries of
// these sizes with 5,000 people of whom 500 have names, 2,000 tags and 1,000 albums. On databases of the server in
// TEST_POSTGRES; prints a line of JSON for each.
import type { Sql } from 'postgres';
import { listCompletions } from '../../src/areas/search/completions/completions.domain.ts';
import { ask } from '../../src/areas/search/query/ask.domain.ts';
import type { Ctx } from '../../src/core/context.ts';
import { createSession } from '../support/harness.ts';
import { latency, openLibrary } from './measure.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const QUERIES = ['a', 'city 1', 'photos of person 4', 'beach with tag 19', 'xyz'];

async function addNames(sql: Sql, userId: string): Promise<void> {
  await sql`insert into person (owner_id, name, is_manual)
    select ${userId}, case when n <= 500 then 'Person ' || n else '' end, true from generate_series(1, 5000) n`;
  await sql`insert into tag (owner_id, value) select ${userId}, 'Tag ' || n from generate_series(1, 2000) n`;
  await sql`insert into album (owner_id, name) select ${userId}, 'Album ' || n from generate_series(1, 1000) n`;
  // A screenshot in twenty, a selfie in a thousand.
  await sql`insert into asset_text (asset_id, words)
    select id, case when get_byte(sha1, 0) % 20 = 0 then ''':capture:screenshot'':4'::tsvector
      when get_byte(sha1, 1) = 0 and get_byte(sha1, 2) < 64 then ''':capture:selfie'':4'::tsvector else '' end
    from asset on conflict (asset_id) do update set words = excluded.words`;
  await sql`vacuum analyze person, tag, album, asset_text`;
}

async function measure(assets: number): Promise<void> {
  const library = await seedLibrary(`bench_completions_${assets}`, assets);
  const { deps, close, sql } = openLibrary(library);
  try {
    await addNames(sql, library.userId);
    const ctx: Ctx = { ...deps, session: createSession(library.userId) };
    for (const query of QUERIES) {
      let found = 0;
      const ms = await latency(async () => {
        found = (await listCompletions(ctx, { query })).length;
      }, 30);
      console.log(JSON.stringify({ assets, query, found, ...ms }));
    }
    for (const query of [
      'screenshots',
      'selfies',
      'videos longer than a minute',
      'Person 4 in City 1',
    ]) {
      const ms = await latency(() => ask(ctx, { query, size: 100 }), 20);
      console.log(JSON.stringify({ assets, ask: query, ...ms }));
    }
  } finally {
    await close();
    await dropLibrary(library.name);
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000]) await measure(assets);
