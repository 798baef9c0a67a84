// bun test/bench/queue.bench.ts: what the queue itself costs, on a throw-away database.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { openDatabase } from '../../src/db/client.ts';
import type { JobHandler } from '../../src/jobs/define.ts';
import { enqueue, enqueueMany } from '../../src/jobs/queue.ts';
import { runLane } from '../../src/jobs/run.ts';
import { testDatabase } from '../support/harness.ts';

const JOBS = 3000;
const database = await testDatabase();
await database.sql`create table effect (asset_id uuid not null)`;
const url = database.deps.settings.databaseUrl!;

type Figures = { jobsPerSecond: number; cpuMs: number; databaseCpuMs: number };
const results: Record<string, Figures> = {};

/** CPU of all processes of the database server, in ms. */
function databaseCpu(anyBackend: number): number {
  const stat = (pid: string | number) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    // The times of the process and of those of its children that ended.
    const times = fields.slice(11, 15).map(Number);
    return { parent: fields[1]!, ticks: times.reduce((sum, ticks) => sum + ticks, 0) };
  };
  const postmaster = stat(anyBackend).parent;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const found = stat(pid);
      if (found.parent === postmaster || pid === postmaster) ticks += found.ticks;
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks * 10;
}

async function measure(name: string, jobs: number, work: () => Promise<void>): Promise<void> {
  const [row] = await database.sql`select pg_backend_pid() as pid`;
  const before = databaseCpu(row!['pid']);
  const cpu = process.cpuUsage();
  const from = performance.now();
  await work();
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  results[name] = {
    jobsPerSecond: Math.round(jobs / seconds),
    cpuMs: Number(((user + system) / 1000 / jobs).toFixed(3)),
    databaseCpuMs: Number(((databaseCpu(row!['pid']) - before) / jobs).toFixed(3)),
  };
}

const payloads = () => Array.from({ length: JOBS }, () => ({ assetId: randomUUID() }));

async function run(handler: JobHandler<typeof readMetadata>, batch: number): Promise<void> {
  // The pool of a thread.
  const pool = openDatabase(url, { max: 2 });
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const lane = runLane({
    deps: { ...database.deps, db: pool.db, sql: pool.sql },
    lane: 'metadata',
    jobs: [readMetadata],
    worker: randomUUID(),
    handlers: { 'assets.readMetadata': handler },
    concurrency: 2,
    batch,
    onIdle: resolve,
  });
  await idle;
  await lane.stop(0);
  await pool.close();
}

const withEffect: JobHandler<typeof readMetadata> = (_, { assetId }) =>
  Promise.resolve(
    async (tx) => void (await tx.execute(sql`insert into effect values (${assetId})`)),
  );
const withoutEffect: JobHandler<typeof readMetadata> = () => Promise.resolve();

await measure('enqueue one by one', JOBS, async () => {
  for (const payload of payloads()) await enqueue(database.db, readMetadata, payload);
});
await measure('run with effect, claimed by 8', JOBS, () => run(withEffect, 4));
await measure('enqueue 500 at once', JOBS, async () => {
  const all = payloads();
  while (all.length > 0) await enqueueMany(database.db, readMetadata, all.splice(0, 500));
});
await measure('run with effect, claimed by 2', JOBS, () => run(withEffect, 1));
await enqueueMany(database.db, readMetadata, payloads());
await measure('run without effect, claimed by 8', JOBS, () => run(withoutEffect, 4));

await database.sql`
  insert into job (name, queue, lane, payload)
  select 'assets.readMetadata', 'metadataExtraction', 'metadata',
    jsonb_build_object('assetId', gen_random_uuid()) from generate_series(1, 300000)`;
await database.sql`analyze job`;
await measure('run with effect, 300,000 waiting', JOBS, async () => {
  let left = JOBS;
  const pool = openDatabase(url, { max: 2 });
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const handler: JobHandler<typeof readMetadata> = (ctx, payload) => {
    if (--left === 0) resolve();
    return withEffect(ctx, payload);
  };
  const lane = runLane({
    deps: { ...database.deps, db: pool.db, sql: pool.sql },
    lane: 'metadata',
    jobs: [readMetadata],
    worker: randomUUID(),
    handlers: { 'assets.readMetadata': handler },
    concurrency: 2,
    batch: 4,
  });
  await enough;
  await lane.stop(0);
  await pool.close();
});

console.table(results);
console.log(JSON.stringify({ bench: 'queue', results }));
await database.close();
