// bun test/bench/restart.bench.ts [assets …]: the first answers of a server that has just started, in
// libraries of these sizes. Starts the real server for each call, on databases of the server in
// TEST_POSTGRES; needs `make dist/safelight`. Prints a line of JSON for each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { openDatabase } from '../../src/db/client.ts';
import { furnish } from './furnish.ts';
import { quantile, round, serveLibrary } from './measure.ts';
import { databaseCpuMs, getCpuMs } from './processes.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const CALLS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/search/explore'],
  ['GET', '/search/cities/counts'],
  ['POST', '/search/facets', {}],
  ['POST', '/search/histogram', { granularity: 'day' }],
  ['GET', '/documents?size=20'],
];
const RESTARTS = 5;
const WARM_CALLS = 20;
/** Long enough for what is written after an answer. */
const SETTLE_MS = 2000;

type Read = { readonly firstMs: number; readonly firstCpuMs: number; readonly warmMs: number };

/** Reads from a new server process, which has answered nothing but a login before. */
async function readAfterStart(library: Library, call: (typeof CALLS)[number]): Promise<Read> {
  const data = mkdtempSync(join(tmpdir(), 'restart-bench-'));
  const server = await serveLibrary(library, data);
  const [method, path, body] = call;
  const send = async (verb: string, to: string, content?: object) => {
    const from = performance.now();
    const reply = await fetch(server.url + to, {
      method: verb,
      headers: { 'x-api-key': library.key, 'content-type': 'application/json' },
      ...(content && { body: JSON.stringify(content) }),
    });
    await reply.arrayBuffer();
    if (!reply.ok) throw new Error(`${to}: ${reply.status}`);
    return performance.now() - from;
  };
  const countCpuMs = () => getCpuMs(server.pid) + databaseCpuMs(library.name);
  try {
    for (let n = 0; n < 5; n++) await send('GET', '/users/me');
    const before = countCpuMs();
    const firstMs = await send(method, path, body);
    const firstCpuMs = countCpuMs() - before;
    await Bun.sleep(SETTLE_MS);
    const warm: number[] = [];
    for (let n = 0; n < WARM_CALLS; n++) warm.push(await send(method, path, body));
    return { firstMs: round(firstMs), firstCpuMs, warmMs: quantile(warm, 0.5) };
  } finally {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** Bytes on disk of the stored summaries, and of everything. */
async function measureSize(sql: Sql) {
  const [size] = await sql`
    select pg_total_relation_size('month_summary')::float8 as "summaryBytes",
      pg_database_size(current_database())::float8 as "databaseBytes",
      (select count(*)::int from month_summary) as rows`;
  return size!;
}

async function measure(assets: number): Promise<void> {
  const library = await seedLibrary(`bench_restart_${assets}`, assets);
  const { sql, ...database } = openDatabase(library.url, { max: 1 });
  try {
    await furnish(sql, library);
    for (const call of CALLS) {
      const never = await readAfterStart(library, call);
      const restarted: Read[] = [];
      for (let n = 0; n < RESTARTS; n++) restarted.push(await readAfterStart(library, call));
      const median = (field: keyof Read) =>
        quantile(
          restarted.map((read) => read[field]),
          0.5,
        );
      console.log(
        JSON.stringify({
          assets,
          call: call[1],
          neverReadMs: never.firstMs,
          restartedMs: median('firstMs'),
          restartedCpuMs: median('firstCpuMs'),
          warmMs: median('warmMs'),
        }),
      );
    }
    console.log(JSON.stringify(await measureSize(sql)));
  } finally {
    await database.close();
    await dropLibrary(library.name);
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [100_000]) await measure(assets);
