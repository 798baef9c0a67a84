// bun test/bench/labels.bench.ts [assets …]: ms of a search for what pictures show, p50 and p95, in libraries of these
// sizes. On databases of the server in TEST_POSTGRES; prints a line of JSON for each.
import { listLabelled } from '../../src/areas/search/semantic/labelled.domain.ts';
import { readTerms } from '../../src/areas/search/labels/query-terms.ts';
import { toMatching } from '../../src/areas/search/match/matching.domain.ts';
import type { Ctx } from '../../src/core/context.ts';
import { createSession } from '../support/harness.ts';
import { latency, openLibrary, timed } from './measure.ts';
import { insertLabels, insertTexts } from './seed-labels.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const QUERIES = ['tabby', 'cat', 'animals', 'red car', 'a dog on a sofa', 'rote Autos ohne Hunde'];

/** `isLabelled`: models have seen the pictures; otherwise nothing is found. */
async function measure(assets: number, isLabelled: boolean): Promise<void> {
  const library = await seedLibrary(`bench_labels_${assets}`, assets);
  const { deps, close, sql } = openLibrary(library);
  try {
    if (isLabelled) await insertLabels(sql);
    await insertTexts(sql);
    await sql`vacuum analyze`;
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
          found = (await listLabelled(ctx, matching!, terms, 101)).certain.length;
        }, 20);
        console.log(JSON.stringify({ assets, isLabelled, set: name, query, found, ...ms }));
      }
    }
  } finally {
    await close();
    await dropLibrary(library.name);
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000])
  for (const isLabelled of [true, false]) await measure(assets, isLabelled);
