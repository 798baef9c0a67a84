// Latency of reading, at library sizes given as arguments: `bun test/bench/read.bench.ts 10000 1000000`.
// Runs the real server process against a database of the server in TEST_POSTGRES; needs wrk.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import { quantile, round, type ServedLibrary, serveLibrary, timed } from './measure.ts';
import { getCpuMs, databaseCpuMs } from './processes.ts';
import { dropLibrary, type Library, seedLibrary, writeDerivedFiles } from './seed.ts';

export type Measured = {
  readonly assets: number;
  readonly call: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server and of its database connections, without the load generator. */
  readonly serverCpuMs: number;
  readonly databaseCpuMs: number;
  readonly errors: number;
};

type Call = {
  readonly name: string;
  /** Paths to take in turn. */
  readonly paths: readonly string[];
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
};

const HIT_ASSETS = 2000;
const SEARCH_SIZE = 250;
const CHANGED_RUNS = 20;

/** Builds the library, measures, drops it again unless it is one to `keep`. */
export async function measureReading(
  assets: number,
  options: { seconds?: number; library?: Library } = {},
): Promise<Measured[]> {
  const { seconds = 3 } = options;
  const library = options.library ?? (await seedLibrary(`bench_read_${assets}`, assets));
  const data = mkdtempSync(join(tmpdir(), 'read-bench-'));
  writeDerivedFiles(data);
  let server: ServedLibrary | undefined;
  try {
    server = await serveLibrary(library, data);
    const results: Measured[] = [];
    for (const call of await listCalls(library, assets)) {
      for (const connections of [1, 16]) {
        const run = { call, connections, seconds, data, library, server };
        results.push({ assets, ...measureCall(run) });
      }
    }
    results.push({ assets, ...(await measureChangedBucket(library, server)) });
    return results;
  } finally {
    await server?.stop();
    rmSync(data, { recursive: true, force: true });
    if (!options.library) await dropLibrary(library.name);
  }
}

async function listCalls(library: Library, assets: number): Promise<Call[]> {
  const { sql, ...database } = openDatabase(library.url, { max: 1 });
  const rows = await sql<{ id: string }[]>`
    select id from asset where visibility = 'timeline' and trashed_at is null
    limit ${HIT_ASSETS}`;
  const [largest] = await sql<{ month: string }[]>`
    select local_month::text as month from asset_count
    where visibility = 'timeline' and not is_trashed
    group by 1 order by sum(assets) desc limit 1`;
  await database.close();
  const perAsset = (route: string) => rows.map(({ id }) => `/api/assets/${id}${route}`);
  const bucket = `/api/timeline/bucket?timeBucket=${largest!.month}&visibility=timeline`;
  const search = { paths: ['/api/search/metadata'] };
  const deep = Math.max(2, Math.floor((assets * 0.8) / SEARCH_SIZE / 2));
  return [
    { name: 'asset info', paths: perAsset('') },
    { name: 'thumbnail', paths: perAsset('/thumbnail') },
    { name: 'preview', paths: perAsset('/thumbnail?size=preview') },
    { name: 'buckets', paths: ['/api/timeline/buckets?visibility=timeline'] },
    { name: 'largest bucket', paths: [bucket] },
    { name: 'statistics', paths: ['/api/assets/statistics'] },
    { name: 'search, first page', ...search, body: {} },
    { name: 'search, deep page', ...search, body: { page: deep } },
  ];
}

type Run = {
  readonly call: Call;
  readonly connections: number;
  readonly seconds: number;
  readonly data: string;
  readonly library: Library;
  readonly server: ServedLibrary;
};

function measureCall(run: Run): Omit<Measured, 'assets'> {
  const script = join(run.data, 'wrk.lua');
  writeFileSync(script, wrkScript(run));
  // Fills the caches and lets the compiler finish.
  wrk(run, script, 1);
  const before = getCpu(run);
  const { requests, errors, p50, p99, seconds } = wrk(run, script, run.seconds);
  const after = getCpu(run);
  const perRequest = (name: 'server' | 'database') =>
    round((after[name] - before[name]) / Math.max(1, requests), 3);
  return {
    call: run.call.name,
    connections: run.connections,
    requestsPerSecond: Math.round(requests / seconds),
    p50Ms: round(p50, 2),
    p99Ms: round(p99, 2),
    serverCpuMs: perRequest('server'),
    databaseCpuMs: perRequest('database'),
    errors,
  };
}

type WrkResult = { requests: number; errors: number; p50: number; p99: number; seconds: number };

function wrk(run: Run, script: string, seconds: number): WrkResult {
  const { stdout, stderr, exitCode } = Bun.spawnSync([
    'wrk',
    '-t1',
    `-c${run.connections}`,
    `-d${seconds}s`,
    '-s',
    script,
    new URL(run.server.url).origin,
  ]);
  const line = stdout
    .toString()
    .split('\n')
    .find((text) => text.startsWith('{'));
  if (exitCode !== 0 || !line)
    throw new Error(`wrk failed: ${stdout.toString()}${stderr.toString()}`);
  return JSON.parse(line) as WrkResult;
}

function wrkScript({ call, library }: Run): string {
  const { paths, body } = call;
  const headers = { 'x-api-key': library.key, 'content-type': 'application/json', ...call.headers };
  const table = Object.entries(headers).map(([name, value]) => `["${name}"] = "${value}"`);
  return `
local paths = { ${paths.map((path) => `"${path}"`).join(', ')} }
local headers = { ${table.join(', ')} }
local body = ${body ? `[[${JSON.stringify(body)}]]` : 'nil'}
local at = 0
request = function()
  at = at % #paths + 1
  return wrk.format("${body ? 'POST' : 'GET'}", paths[at], headers, body)
end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests": %d, "errors": %d, "p50": %f, "p99": %f, "seconds": %f}\\n',
    summary.requests, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.duration / 1000000))
end
`;
}

/** The largest month, each time after another of its items has changed. */
async function measureChangedBucket(
  library: Library,
  server: ServedLibrary,
): Promise<Omit<Measured, 'assets'>> {
  const { sql, ...database } = openDatabase(library.url, { max: 1 });
  const [largest] = await sql<{ ids: string[]; month: string }[]>`
    select (array_agg(id order by md5(id::text)))[:${CHANGED_RUNS + 1}] as ids, local_month::text as month
    from asset where visibility = 'timeline' and trashed_at is null
    group by local_month order by count(*) desc limit 1`;
  const route = `${server.url}/timeline/bucket?timeBucket=${largest!.month}&visibility=timeline`;
  const headers = { 'x-api-key': library.key, 'accept-encoding': 'identity' };
  const times: number[] = [];
  const cpu = { server: 0, database: 0 };
  for (const [run, id] of largest!.ids.entries()) {
    await sql`update asset set is_favorite = not is_favorite where id = ${id}`;
    const before = getCpu({ library, server });
    const ms = await timed(async () => (await fetch(route, { headers })).arrayBuffer());
    const after = getCpu({ library, server });
    // The first may find nothing in memory.
    if (run === 0) continue;
    times.push(ms);
    cpu.server += after.server - before.server;
    cpu.database += after.database - before.database;
  }
  await database.close();
  const total = times.reduce((sum, time) => sum + time, 0);
  return {
    call: 'largest bucket, changed',
    connections: 1,
    requestsPerSecond: Math.round((1000 * times.length) / total),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 1),
    serverCpuMs: round(cpu.server / times.length),
    databaseCpuMs: round(cpu.database / times.length),
    errors: 0,
  };
}

/** CPU time so far, in ms. */
const getCpu = ({ library, server }: Pick<Run, 'library' | 'server'>) => ({
  server: getCpuMs(server.pid),
  database: databaseCpuMs(library.name),
});

if (import.meta.main) {
  const sizes = process.argv.slice(2).map(Number);
  const results: Measured[] = [];
  for (const assets of sizes.length > 0 ? sizes : [300, 10_000, 100_000, 1_000_000]) {
    const kept = process.env['SAFELIGHT_TEST_LIBRARY'];
    const library = kept ? (JSON.parse(readFileSync(kept, 'utf8')) as Library) : undefined;
    results.push(...(await measureReading(assets, library ? { library } : {})));
  }
  console.log(JSON.stringify(results));
  console.table(results);
}
