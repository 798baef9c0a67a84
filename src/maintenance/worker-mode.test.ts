import { afterAll, afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { useDatabase } from '../../test/support/database.ts';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { serveFrom } from '../../test/support/served.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { NOT_ACCEPTING, reopenAbandoned, withAdmin } from '../db/databases.ts';
import { getSqlState } from '../db/errors.ts';
import { claimJobs } from '../jobs/claims.ts';
import { enqueue } from '../jobs/queue.ts';
import { listNodes } from '../nodes/store.ts';

// A worker, and the command line of a machine whose server is stopped.

setDefaultTimeout(120_000);

const database = await useDatabase();
const { sql, db } = database;
const { databaseUrl, dataDir } = database.deps.settings;
const folder = createMemoryFolder('worker-mode-');
const served = serveFrom(folder);
const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
const run = (action: string, url = databaseUrl!) =>
  runCommand(folder, ['maintenance', action, '--data', elsewhere, '--database-url', url]);
beforeEach(() => {
  served.spawn('worker', '--data', dataDir, '--database-url', databaseUrl!);
});
afterEach(async () => {
  await served.stopAll();
  await sql`truncate maintenance_mode, node, job`;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const untilWorker = (state: string) =>
  until(async () => (await listNodes(db)).some((node) => node.state === state), 60_000);
const addJob = () => enqueue(db, readMetadata, { assetId: randomUUID() });
const listJobs = async (): Promise<Record<string, unknown>[]> => [
  ...(await sql`select state, attempt, worker from job where name = ${readMetadata.name}`),
];

test('a worker runs no jobs in maintenance mode, and goes on when it has ended', async () => {
  await untilWorker('ready');
  const { code, out } = await run('start');
  expect([code, out]).toEqual([0, expect.stringContaining('/maintenance?token=')]);
  await untilWorker('starting');
  expect(await listNodes(db)).toMatchObject([{ role: 'worker', reason: 'Maintenance mode' }]);
  await addJob();
  await Bun.sleep(6000);
  expect(await listJobs()).toEqual([{ state: 'waiting', attempt: 0, worker: null }]);
  expect((await run('end')).code).toBe(0);
  await untilWorker('ready');
  await until(async () => (await listJobs()).length === 0);
});

test('a job that does not end is put back when maintenance mode begins', async () => {
  await untilWorker('ready');
  await sql.begin(async (tx) => {
    await tx`lock table asset in access exclusive mode`;
    await addJob();
    await until(
      async () => (await sql`select from job where state = 'running'`).length > 0,
      60_000,
    );
    await run('start');
    await untilWorker('starting');
    expect(await listJobs()).toEqual([{ state: 'waiting', attempt: 0, worker: null }]);
  });
  await run('end');
  await until(async () => (await listJobs()).length === 0, 60_000);
});

test('a worker that starts in maintenance mode waits, and stops when it is told to', async () => {
  await served.stopAll();
  await run('start');
  const worker = served.spawn('worker', '--data', dataDir, '--database-url', databaseUrl!);
  await untilWorker('starting');
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
  expect(await listNodes(db)).toEqual([]);
});

test('a worker waits while the database is replaced by others', async () => {
  await untilWorker('ready');
  const name = new URL(databaseUrl!).pathname.slice(1);
  await withAdmin(databaseUrl!, async (admin) => {
    await admin`alter database ${admin(name)} with allow_connections false`;
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    await Bun.sleep(6000);
    const refused = await sql`select`.catch((error: unknown) => getSqlState(error));
    expect(refused).toBe(NOT_ACCEPTING);
  });
  await reopenAbandoned(databaseUrl!);
  await addJob();
  await until(async () => (await listJobs()).length === 0, 60_000);
});

test('nothing is claimed from the moment at which maintenance mode begins', async () => {
  await served.stopAll();
  await addJob();
  const claim = () =>
    claimJobs(db, {
      lane: 'metadata',
      worker: 'here',
      names: [readMetadata.name],
      limit: 1,
      leaseMs: 1000,
    });
  await run('start');
  expect(await claim()).toEqual([]);
  await run('end');
  expect(await claim()).toHaveLength(1);
});
