// bun test/bench/trash.bench.ts [assets] [moved]: pages of a large trash, and what moving 100,000 items
// in the background costs those who read meanwhile. Runs the real server against a database of the
// server in TEST_POSTGRES; prints JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../src/db/client.ts';
import type { Json } from '../support/json.ts';
import { latency, serveLibrary, spread, timed } from './measure.ts';
import { databaseCpuMs } from './processes.ts';
import { dropLibrary, type Library, seedLibrary, writeDerivedFiles } from './seed.ts';

const [assets = 1_000_000, MOVED = assets / 10] = process.argv.slice(2).map(Number);
const QUIET_MS = 8000;

const library: Library = await seedLibrary('bench_trash', assets);
const database = openDatabase(library.url, { max: 2 });
const { sql } = database;
const data = mkdtempSync(join(tmpdir(), 'trash-bench-'));
writeDerivedFiles(data);
const server = await serveLibrary(library, data);

const headers = { 'x-api-key': library.key, 'content-type': 'application/json' };

async function request(method: string, path: string, body?: object): Promise<Json> {
  const reply = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
}

const get = (path: string) => () => request('GET', path);

// The oldest: the newest are moved, and in the end deleted.
const some = await sql<{ id: string }[]>`
  select id from asset where trashed_at is null order by taken_at limit 2000`;
// None of them is kept in memory: what it costs does not depend on what changes meanwhile.
const READS: Record<string, (n: number) => Promise<unknown>> = {
  asset: (n) => request('GET', `/assets/${some[(n * 7) % some.length]!.id}`),
  buckets: () => request('GET', '/timeline/buckets?visibility=timeline'),
  search: () => request('POST', '/search/metadata', { size: 50 }),
  tags: () => request('GET', '/tags/statistics'),
};
const PAUSE_MS = 25;

/** A few people who look at photos, until the work is done. */
async function readDuring(work: Promise<unknown>) {
  const times = new Map<string, number[]>(Object.keys(READS).map((name) => [name, []]));
  let isDone = false;
  const ending = work.finally(() => (isDone = true));
  for (let n = 0; !isDone; n++) {
    for (const [name, read] of Object.entries(READS)) {
      times.get(name)!.push(await timed(() => read(n)));
    }
    await Bun.sleep(PAUSE_MS);
  }
  await ending;
  return Object.fromEntries([...times].map(([name, list]) => [name, spread(list)]));
}

/**
 * From the request to the end of the work that it left, and how soon it was answered. The time of the
 * processor says more than the clock on a machine that has other things to do.
 */
async function background(start: () => Promise<unknown>, isDone: () => Promise<boolean>) {
  let answeredMs = 0;
  let doneMs = 0;
  let cpuMs = 0;
  const work = async () => {
    const from = performance.now();
    const cpuBefore = databaseCpuMs(library.name);
    await start();
    answeredMs = performance.now() - from;
    while (!(await isDone())) await Bun.sleep(50);
    doneMs = performance.now() - from;
    cpuMs = databaseCpuMs(library.name) - cpuBefore;
  };
  const reads = await readDuring(work());
  return {
    answeredMs: Math.round(answeredMs),
    doneMs: Math.round(doneMs),
    databaseCpuMs: cpuMs,
    reads,
  };
}

const isMoved = async () =>
  (await sql`select 1 from operation where kind = 'move' limit 1`).length === 0;
const timeline = async (limit: number) => {
  const rows = await sql<{ id: string }[]>`
    select id from asset
    where visibility = 'timeline' and locked_at is null and trashed_at is null
    order by local_taken_at desc limit ${limit}`;
  return rows.map((row) => row.id);
};

async function moves() {
  const ids = await timeline(MOVED);
  const archived = async (path: string, body: object, status: string) => {
    let id = '';
    return background(
      async () => {
        ({ id } = await request('POST', path, body));
      },
      async () => (await request('GET', `/archive-operations/${id}`)).status === status,
    );
  };
  // A selection names 50,000 at most; the whole Timeline has no bound.
  const halves = [ids.slice(0, MOVED / 2), ids.slice(MOVED / 2)];
  const results: Record<string, unknown> = {};
  const operations: string[] = [];
  let archiveMs = 0;
  for (const assetIds of halves) {
    const result = await archived('/archive-operations', { assetIds }, 'completed');
    results['archive'] = result;
    archiveMs += result.doneMs;
    operations.push((await request('GET', '/archive-operations'))[0].id);
  }
  for (const id of operations) {
    const result = await archived(`/archive-operations/${id}/undo`, {}, 'undone');
    results['undo'] = result;
    archiveMs += result.doneMs;
  }
  results['archiveAndUndoMs'] = archiveMs;

  results['restore'] = await background(() => request('POST', '/trash/restore'), isMoved);
  // One request names 65,000 at most.
  results['trash'] = await background(async () => {
    await request('DELETE', '/assets', { ids: ids.slice(0, MOVED / 2) });
    await request('DELETE', '/assets', { ids: ids.slice(MOVED / 2) });
  }, isMoved);
  let token = '';
  results['reviewEmptyMs'] = Math.round(
    await timed(async () => {
      ({ token } = await request('POST', '/trash/review', { action: 'empty' }));
    }),
  );
  results['empty'] = await background(
    () => request('POST', '/trash/apply', { action: 'empty', token }),
    isMoved,
  );
  const removed = async () => (await request('GET', '/trash/summary')).removing === 0;
  results['removeFiles'] = await background(async () => {}, removed);
  return results;
}

async function pages() {
  const { total } = await request('GET', '/trash/items?size=1');
  const size = Math.floor(total / 1001);
  const found: Record<string, unknown> = { total, size };
  for (const sort of ['trashed-newest', 'taken-oldest', 'largest', 'name']) {
    for (const page of [1, 1000]) {
      found[`${sort}, page ${page}`] = await latency(
        get(`/trash/items?sort=${sort}&page=${page}&size=${size}`),
      );
    }
  }
  found['videos, page 1'] = await latency(get(`/trash/items?type=VIDEO&size=${size}`));
  found['words, page 1'] = await latency(get(`/trash/items?query=img%2055&size=${size}`));
  return found;
}

try {
  // Waits for the work that the seed left behind and the first runs of the schedule.
  await Bun.sleep(3000);
  const results: Record<string, unknown> = { assets };
  results['pages'] = await pages();
  results['summary'] = await latency(get('/trash/summary'));
  await readDuring(Bun.sleep(2000));
  results['quiet'] = await readDuring(Bun.sleep(QUIET_MS));
  Object.assign(results, await moves());
  console.log(JSON.stringify(results, null, 2));
} finally {
  await server.stop();
  await database.close();
  await dropLibrary(library.name);
  rmSync(data, { recursive: true, force: true });
}
