import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { type Job, jobs } from '../job-registry.ts';
import { claimJobs, releaseExpired } from './claims.ts';
import { type JobHandler } from './define.ts';
import { enqueue } from './queue.ts';
import { type LaneOptions, runLane } from './run.ts';
import { queryRows } from '../db/query.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.sql`create table effect (key text)`;
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate job, job_done, effect, queue`;
});

type Handler = JobHandler<typeof readMetadata>;

let workers = 0;
/** Starts the metadata lane with this handler; `drained` resolves when it finds nothing to do. */
function start(handler: Handler, over: Partial<LaneOptions<Job, 'metadata'>> = {}) {
  let drained = Promise.withResolvers<void>();
  const lane = runLane({
    deps: database.deps,
    lane: 'metadata',
    jobs,
    worker: `w${++workers}`,
    handlers: { 'assets.readMetadata': handler },
    concurrency: 2,
    checkMs: 20,
    onIdle: () => drained.resolve(),
    ...over,
  });
  return {
    ...lane,
    drained: () => drained.promise,
    async again() {
      drained = Promise.withResolvers();
      lane.wake();
      await drained.promise;
    },
  };
}

async function drain(handler: Handler, over: Partial<LaneOptions<Job, 'metadata'>> = {}) {
  const lane = start(handler, over);
  await lane.drained();
  await lane.stop(1000);
}

const add = (assetId = randomUUID() as string) => enqueue(database.db, readMetadata, { assetId });
const rows = async (): Promise<any[]> => [...(await database.sql`select * from job order by id`)];
const effects = async () =>
  (await database.sql`select key from effect order by key`).map((row) => row['key'] as string);
const record =
  (key: string) =>
  async (tx: typeof database.db): Promise<void> =>
    void (await queryRows(tx, sql`insert into effect values (${key})`));

/** Resolves when the condition holds; fails the test after five seconds. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 5000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('never became true');
    await Bun.sleep(5);
  }
}

test('a job that loses its database connection is retried without counting as failed', async () => {
  await add();
  let [runs, commits] = [0, 0];
  const endConnection = (db: typeof database.db) =>
    queryRows(db, sql`select pg_terminate_backend(pg_backend_pid())`);
  const lane = start(async ({ db }) => {
    runs += 1;
    if (runs === 1) await endConnection(db);
    return async (tx) => {
      // At its second run: the handler's work is kept, only its transaction is repeated.
      if (commits++ === 0) await endConnection(tx as never);
      await record('done')(tx as never);
    };
  });
  await until(async () => (await rows()).length === 0 || (lane.wake(), false));
  await lane.stop(1000);
  expect([runs, commits]).toEqual([2, 2]);
  expect(await effects()).toEqual(['done']);
});

test('a failing job is retried with growing delay, then parked with its last error', async () => {
  await add();
  const seen: boolean[] = [];
  const fails: Handler = async ({ isLastAttempt }) => {
    seen.push(isLastAttempt);
    throw new Error('disk full');
  };
  const delays: number[] = [];
  for (let attempt = 1; attempt <= readMetadata.attempts; attempt++) {
    await drain(fails);
    const [row] = await database.sql`
      select extract(epoch from run_at - now())::float8 as delay from job`;
    delays.push(row!['delay']);
    await database.sql`update job set run_at = now()`;
  }
  await drain(fails);
  expect(seen).toEqual([false, false, true]);
  expect(delays[0]).toBeWithin(3, 6.3);
  expect(delays[1]).toBeWithin(7, 12.6);
  expect(await rows()).toMatchObject([
    { state: 'failed', attempt: 3, failures: 3, last_error: 'disk full', worker: null },
  ]);
  expect(await effects()).toEqual([]);
});

test('an effect that fails takes the completion back with it', async () => {
  await add();
  await drain(async () => async (tx) => {
    await record('half')(tx);
    throw new Error('constraint');
  });
  expect(await effects()).toEqual([]);
  expect(await rows()).toMatchObject([{ state: 'waiting', failures: 1, last_error: 'constraint' }]);
});

test('a failed job is replaced by a duplicate that was enqueued meanwhile', async () => {
  const id = randomUUID();
  await add(id);
  let runs = 0;
  await drain(async () => {
    if (++runs > 1) return record('second');
    await add(id);
    throw new Error('first');
  });
  expect(await effects()).toEqual(['second']);
  expect(await rows()).toEqual([]);
});

test('a job whose lease expired is released, and its late finisher changes nothing', async () => {
  await add();
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const stuck = start(
    async () => {
      started.resolve();
      await gate.promise;
      return record('late');
    },
    { checkMs: 60_000 },
  );
  await started.promise;
  await database.sql`update job set lease_until = now() - interval '1 second'`;
  await releaseExpired(database.db);
  expect(await rows()).toMatchObject([{ state: 'waiting', attempt: 1, failures: 0 }]);
  await drain(async () => record('second'));
  gate.resolve();
  await stuck.drained();
  await stuck.stop(0);
  expect(await effects()).toEqual(['second']);
});

test('a long job keeps its lease', async () => {
  await add();
  let reclaimed = false;
  const watch = setInterval(() => void releaseExpired(database.db), 10);
  await drain(
    async ({ signal }) => {
      await Bun.sleep(1500);
      reclaimed = signal.aborted;
      return record('long');
    },
    { leaseMs: 600, checkMs: 20 },
  );
  clearInterval(watch);
  expect(reclaimed).toBe(false);
  expect(await effects()).toEqual(['long']);
});

test('a job whose process dies ten times is parked as failed', async () => {
  await add();
  const claim = { lane: 'metadata', worker: 'x', names: ['assets.readMetadata'] } as const;
  for (let n = 0; n < 10; n++) {
    await database.sql`update job set run_at = now()`;
    await claimJobs(database.db, { ...claim, limit: 1, leaseMs: -1 });
    await releaseExpired(database.db);
  }
  expect(await rows()).toMatchObject([{ state: 'failed', attempt: 10, failures: 0 }]);
});
