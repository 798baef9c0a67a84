// bun test/bench/reads.bench.ts [assets]: every read of growth.ts in a library of this size, in a process that has just
// started and again, and the plans of the ten that took longest. On a database of the server in TEST_POSTGRES, which needs
// auto_explain (a part of PostgreSQL) and 2 KB of disk for each asset.
import { drizzle } from 'drizzle-orm/postgres-js';
import { handleStoreSummaries } from '../../src/areas/assets/counts/month-summaries.handlers.ts';
import { connect } from '../../src/db/address.ts';
import { openDatabase } from '../../src/db/client.ts';
import { furnish } from './furnish.ts';
import { getAmounts, listCalls } from './growth.ts';
import { openLibrary, round, timed } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const [assets = 1_000_000] = process.argv.slice(2).map(Number);
const WORST = 10;
const AGAIN = 3;
/** Lines of a plan. */
const MOST_LINES = 40;

type Statement = { readonly ms: number; readonly plan: string };
let statements: Statement[] = [];

/** Opens a database of which each statement tells its plan. */
function openExplained({ url }: Library) {
  const sql = connect(url, {
    max: 1,
    onnotice({ message = '' }) {
      const [, ms] = /^duration: ([\d.]+) ms\s+plan:/.exec(message) ?? [];
      if (ms !== undefined) statements.push({ ms: Number(ms), plan: message });
    },
  });
  return { db: drizzle(sql), sql, close: () => sql.end({ timeout: 5 }) };
}

const SETTINGS = {
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  client_min_messages: 'log',
};

const seedMs = { rows: 0, summaries: 0 };
const name = `bench_reads_${process.pid}`;
let library: Library | undefined;
try {
  seedMs.rows = await timed(async () => (library = await seedLibrary(name, assets)));
  const filler = openDatabase(library!.url, { max: 1 });
  const { albumId } = await furnish(filler.sql, library!, { amounts: getAmounts(assets / 8) });
  const calls = await listCalls(filler.sql, albumId);
  const { deps, ...before } = openLibrary(library!, 2);
  const context = {
    ...deps,
    signal: new AbortController().signal,
    isLastAttempt: true,
    onFailed() {},
    restartTimeLimit() {},
  };
  seedMs.summaries = await timed(async () => void (await handleStoreSummaries(context, {})));
  await before.close();
  for (const [setting, value] of Object.entries(SETTINGS))
    await filler.sql.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  await filler.close();
  console.log(JSON.stringify({ assets, seedMs }));

  const reads = [];
  for (const [read, route, body] of calls) {
    // Nothing is remembered for another pool.
    const { request, close } = openLibrary(library!, 1, openExplained(library!));
    await request('GET /users/me');
    statements = [];
    const firstMs = await timed(() => request(route, body));
    const slowest = statements.toSorted((a, b) => b.ms - a.ms)[0];
    const databaseMs = round(statements.reduce((sum, { ms }) => sum + ms, 0));
    const again: number[] = [];
    for (let n = 0; n < AGAIN; n++) again.push(await timed(() => request(route, body)));
    reads.push({ read, route, firstMs, databaseMs, againMs: Math.min(...again), slowest });
    await close();
  }
  const sorted = reads.toSorted((a, b) => b.firstMs - a.firstMs);
  for (const { slowest: _, ...figures } of sorted) console.log(JSON.stringify(figures));
  for (const { read, route, slowest } of sorted.slice(0, WORST)) {
    // The text of the statement stands before its plan.
    const lines = (slowest?.plan ?? '').split('\n').slice(1);
    const plan = lines.slice(
      Math.max(
        0,
        lines.findIndex((line) => line.includes('(cost=')),
      ),
    );
    console.log(
      `\n## ${read}: ${route}, ${slowest?.ms} ms\n${plan.slice(0, MOST_LINES).join('\n')}`,
    );
  }
} finally {
  await dropLibrary(name);
}
process.exit(0);
