// bun test/bench/outage.bench.ts [assets …]: how long nobody can use a library of this size while the server is
// restarted as a package does it, and while a new version updates the database. Starts the real server, on
// databases of the server in TEST_POSTGRES; needs `make dist/safelight`. Prints a line of JSON for each.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../src/db/databases.ts';
import { dropReplaced } from '../../src/maintenance/replacement.ts';
import { furnish } from './furnish.ts';
import { quantile, round, serveLibrary } from './measure.ts';
import { dropLibrary, type Library, seedLibrary } from './seed.ts';

const RESTARTS = 4;
const ASK_MS = 10;

type Outage = { readonly stopMs: number; readonly startMs: number; readonly totalMs: number };

/** From the last answer of a process that stops until the first one of the next that needs the database. */
async function measureOutage(
  library: Library,
  data: string,
  before: () => Promise<unknown>,
): Promise<Outage> {
  const first = await serveLibrary(library, data);
  await untilServed(first.url, library);
  const [from] = await Promise.all([findLastAnswer(first.url), first.stop()]);
  const stopped = performance.now();
  await before();
  const began = performance.now();
  const second = await serveLibrary(library, data);
  try {
    await untilServed(second.url, library);
    const [stopMs, startMs] = [stopped - from, performance.now() - began];
    return { stopMs, startMs, totalMs: stopMs + startMs };
  } finally {
    await second.stop();
  }
}

/** Asks until no answer comes. Returns the time of the last one; requests are answered while jobs end. */
async function findLastAnswer(url: string): Promise<number> {
  for (let last = performance.now(); ; last = performance.now()) {
    const reply = await fetch(`${url}/server/ping`, { keepalive: false }).catch(() => undefined);
    if (!reply?.ok) return last;
    await Bun.sleep(ASK_MS);
  }
}

async function untilServed(url: string, { key }: Library): Promise<void> {
  for (;;) {
    const reply = await fetch(`${url}/timeline/buckets`, { headers: { 'x-api-key': key } });
    await reply.arrayBuffer();
    if (reply.ok) return;
    if (reply.status !== 503) throw new Error(`/timeline/buckets: ${reply.status}`);
    await Bun.sleep(ASK_MS);
  }
}

/** As a version without the migration of single sign-on has left it. */
const makeOlder = (library: Library) =>
  withConnection(library.url, (sql) =>
    sql.unsafe(`drop table oauth_logout_token; drop index session_oauth_sid;
      delete from schema_migration where name = '0030_oauth'`),
  );

function print(assets: number, kind: string, outages: readonly Outage[]): void {
  const median = (field: keyof Outage) => {
    const times = outages.map((outage) => outage[field]);
    return round(quantile(times, 0.5));
  };
  console.log(
    JSON.stringify({
      assets,
      kind,
      stopMs: median('stopMs'),
      startMs: median('startMs'),
      totalMs: median('totalMs'),
      worstMs: round(Math.max(...outages.map(({ totalMs }) => totalMs))),
    }),
  );
}

async function measure(assets: number): Promise<void> {
  const library = await seedLibrary(`bench_outage_${assets}`, assets);
  const data = mkdtempSync(join(tmpdir(), 'outage-bench-'));
  try {
    await withConnection(library.url, (sql) => furnish(sql, library));
    const restarts: Outage[] = [];
    for (let n = 0; n < RESTARTS; n++) {
      restarts.push(await measureOutage(library, data, async () => {}));
    }
    print(assets, 'restart', restarts);
    print(assets, 'update', [await measureOutage(library, data, () => makeOlder(library))]);
  } finally {
    await dropReplaced(library.url, new Date('2100-01-01'));
    await dropLibrary(library.name);
    rmSync(data, { recursive: true, force: true });
  }
}

const sizes = process.argv.slice(2).map(Number);
for (const assets of sizes.length > 0 ? sizes : [10_000, 1_000_000]) await measure(assets);
