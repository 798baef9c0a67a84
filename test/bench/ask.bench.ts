// bun test/bench/ask.bench.ts [assets …]: ms of whole searches by sentences and of the suggestions while one is typed,
// p50 and p95, with the processor ms of the server and of PostgreSQL for each, in libraries of these sizes with labels,
// texts and embeddings. On databases of the server in TEST_POSTGRES, with the models of SAFELIGHT_TEST_MODELS.
// Prints a line of JSON for each. SAFELIGHT_BENCH_LIBRARY names a library of an earlier run (the line `library`, which a
// run with SAFELIGHT_BENCH_KEEP prints).
import { createApp } from '../../src/app.ts';
import { closeInference } from '../../src/inference/client.ts';
import { getVectorIndex } from '../../src/inference/index.ts';
import type { Json } from '../support/json.ts';
import { MODELS } from '../support/models.ts';
import { latency, openLibrary, requestsTo, round, timed } from './measure.ts';
import { databaseCpuMs } from './processes.ts';
import { insertEmbeddings } from './seed-embeddings.ts';
import { insertLabels, insertTexts } from './seed-labels.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

/** The model of the product whose embeddings both routes read. */
const MODEL = { modelId: 'conse-1', dimension: 384 };
const YEAR = { takenAfter: '2020-01-01T00:00:00Z', takenBefore: '2020-12-31T23:59:59Z' };

if (!MODELS) throw new Error('There are no models: safelight models pull');

type Call = { readonly route: string; readonly body?: object };

const SENTENCES = [
  'cat',
  'animals',
  'a dog on a sofa',
  'red car',
  'lake',
  'sunset at the beach',
  'City 5 in 2020',
  'cats in City 5',
  'dogs in 2020',
  'Canon',
  'lakee',
  'quantum physics',
  'IMG_4711',
  'videos longer than a minute',
  'rote Autos ohne Hunde',
];
const FILTERED = [
  { query: 'cat', city: 'City 5' },
  { query: 'dogs', make: 'Canon' },
  { query: 'dogs', ...YEAR },
];
const TYPED = ['a', 'city 1', 'photos of c', 'dogs in ', 'xyz'];

const CALLS: readonly Call[] = [
  ...SENTENCES.flatMap((query) =>
    ['ask', 'smart'].map((route) => ({ route: `POST /search/${route}`, body: { query } })),
  ),
  ...FILTERED.map((body) => ({ route: 'POST /search/smart', body })),
  ...TYPED.map((query) => ({
    route: `GET /search/completions?query=${encodeURIComponent(query)}`,
  })),
];

async function fill(library: Library): Promise<void> {
  const { sql, close } = openLibrary(library, 1);
  await insertLabels(sql);
  await insertTexts(sql);
  await insertEmbeddings(sql, MODEL);
  await sql`vacuum analyze`;
  await close();
}

/** A thread builds an inverted file after the first search in more than a million vectors. */
async function untilIdle(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage();
    await Bun.sleep(3000);
    const { user, system } = process.cpuUsage(before);
    if (user + system < 300_000) return;
  }
}

const countFound = (answer: Json): number => answer.assets?.items.length ?? answer.length;

async function measure(library: Library): Promise<void> {
  const open = openLibrary(library);
  const deps = { ...open.deps, settings: { ...open.deps.settings, modelsDir: MODELS } };
  const request = requestsTo(createApp(deps), library);
  try {
    const readMs = await timed(() => getVectorIndex(deps).refresh(MODEL.modelId));
    console.log(JSON.stringify({ name: 'first read of the embeddings', ms: readMs }));
    await untilIdle();
    for (const { route, body } of CALLS) {
      let found = 0;
      const call = async () => {
        found = countFound(await request(route, body));
      };
      await call();
      const [own, database] = [process.cpuUsage(), databaseCpuMs(library.name)];
      const calls = 30;
      const { p50Ms, p95Ms } = await latency(call, calls - 1);
      const { user, system } = process.cpuUsage(own);
      console.log(
        JSON.stringify({
          route,
          ...body,
          found,
          p50Ms,
          p95Ms,
          cpuMs: round((user + system) / 1000 / calls, 0),
          databaseCpuMs: round((databaseCpuMs(library.name) - database) / calls, 0),
        }),
      );
    }
  } finally {
    await closeInference();
    await getVectorIndex(deps).close();
    await open.close();
  }
}

const kept = process.env['SAFELIGHT_BENCH_LIBRARY'];
if (kept) await measure(JSON.parse(kept) as Library);
else {
  const sizes = process.argv.slice(2).map(Number);
  for (const assets of sizes.length > 0 ? sizes : [100_000]) {
    console.log(JSON.stringify({ assets }));
    const library = await seedLibrary(`bench_ask_${assets}`, assets);
    await fill(library);
    if (process.env['SAFELIGHT_BENCH_KEEP']) console.log(JSON.stringify({ library }));
    await measure(library);
    if (!process.env['SAFELIGHT_BENCH_KEEP']) await dropLibrary(library.name);
  }
}
