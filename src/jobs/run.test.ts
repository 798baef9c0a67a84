import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { readMetadata, transcodeVideo } from '../areas/assets/jobs.ts';
import { createLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { setPaused } from '../areas/jobs/store.ts';
import { type Job, jobs } from '../job-registry.ts';
import { type JobHandler } from './define.ts';
import { cancelJobs, enqueue, enqueueMany } from './queue.ts';
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

test('a job runs once, is seen only when its transaction commits, and leaves a count', async () => {
  const ran: string[] = [];
  const handler: Handler = async (_, { assetId }) => {
    ran.push(assetId);
  };
  const id = randomUUID();
  await database.db.transaction(async (tx) => {
    await enqueue(tx, readMetadata, { assetId: id });
    await drain(handler);
    expect(ran).toEqual([]);
  });
  await drain(handler);
  await drain(handler);
  expect(ran).toEqual([id]);
  expect(await rows()).toEqual([]);
  expect([...(await database.sql`select queue, jobs from job_done`)]).toEqual([
    { queue: 'metadataExtraction', jobs: '1' },
  ]);
});

test('jobs that write files are not claimed while the data folder is unreachable', async () => {
  await add();
  const root = join(tmpdir(), `safelight-away-${randomUUID()}`);
  const { settings, ...deps } = database.deps;
  const said = Promise.withResolvers<string>();
  const lane = start(async () => record('done'), {
    deps: {
      ...deps,
      paths: dataPaths(root),
      settings: { ...settings, reserveBytes: 0 },
      log: createLog({ level: 'warn', format: 'json', write: said.resolve }),
    },
  });
  expect(await said.promise).toContain('the data folder cannot be reached');
  expect([await effects(), (await rows())[0]['state']]).toEqual([[], 'waiting']);
  mkdirSync(root);
  lane.wake();
  await until(async () => (await effects()).length > 0);
  await lane.stop(1000);
  rmSync(root, { recursive: true });
});

test('a rolled back transaction leaves no job', async () => {
  await database.db
    .transaction(async (tx) => {
      await enqueue(tx, readMetadata, { assetId: randomUUID() });
      throw new Error('no');
    })
    .catch(() => {});
  expect(await rows()).toEqual([]);
});

test('two waiting jobs with one key are one; a running one does not count', async () => {
  const id = randomUUID();
  await add(id);
  await add(id);
  expect(await rows()).toHaveLength(1);

  let [runs, running, most] = [0, 0, 0];
  await drain(async () => {
    running += 1;
    most = Math.max(most, running);
    if (++runs === 1) await add(id);
    await Bun.sleep(10);
    running -= 1;
    return record(id);
  });
  // The second ran after the first, never beside it.
  expect(await effects()).toEqual([id, id]);
  expect(most).toBe(1);
});

test('higher priority first, then the order of arrival; never more at once than allowed', async () => {
  const ids = Array.from({ length: 6 }, () => randomUUID());
  await enqueueMany(
    database.db,
    readMetadata,
    ids.map((assetId) => ({ assetId })),
  );
  await database.sql`update job set priority = 5 where unique_key = ${ids[4]!}`;
  const order: string[] = [];
  const handler: Handler = async (_, { assetId }) => {
    order.push(assetId);
  };
  await drain(handler, { concurrency: 1, batch: 1 });
  expect(order).toEqual([ids[4]!, ids[0]!, ids[1]!, ids[2]!, ids[3]!, ids[5]!]);
});

test('cancelling aborts the signal of a running job within a second and discards its effect', async () => {
  await add();
  const started = Promise.withResolvers<AbortSignal>();
  const lane = start(
    async ({ signal }) => {
      started.resolve(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return record('too late');
    },
    { checkMs: 500 },
  );
  const signal = await started.promise;
  const [row] = await rows();
  const from = performance.now();
  await cancelJobs(database.db, [row.id]);
  await until(() => signal.aborted);
  expect(performance.now() - from).toBeLessThan(1000);
  await lane.drained();
  await lane.stop(0);
  expect(await effects()).toEqual([]);
  expect(await rows()).toMatchObject([{ state: 'cancelled', failures: 0 }]);
});

test('jobs of a paused queue are not claimed', async () => {
  await add();
  await setPaused(database.db, 'metadataExtraction', true);
  await drain(async () => record('a'));
  expect(await effects()).toEqual([]);
  await setPaused(database.db, 'metadataExtraction', false);
  await drain(async () => record('a'));
  expect(await effects()).toEqual(['a']);
});

test('a lane leaves the jobs of other lanes and of newer versions alone', async () => {
  await enqueue(database.db, transcodeVideo, { assetId: randomUUID() });
  await database.sql`
    insert into job (name, queue, lane, payload) values ('assets.x', 'ocr', 'metadata', '{}')`;
  await drain(async () => record('a'));
  expect(await rows()).toMatchObject([{ state: 'waiting' }, { state: 'waiting', attempt: 0 }]);
});

test('stopping releases unfinished jobs without counting an attempt', async () => {
  for (let n = 0; n < 5; n++) await add();
  const started = Promise.withResolvers<void>();
  const lane = start(
    async ({ signal }) => {
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    },
    { batch: 4 },
  );
  await started.promise;
  await lane.stop(0);
  const left = await rows();
  expect(left).toHaveLength(5);
  for (const row of left) {
    expect(row).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, worker: null });
  }
});

test('stopping lets a running job finish within its grace', async () => {
  await add();
  const started = Promise.withResolvers<void>();
  const lane = start(async () => {
    started.resolve();
    await Bun.sleep(50);
    return record('done');
  });
  await started.promise;
  await lane.stop(5000);
  expect(await effects()).toEqual(['done']);
  expect(await rows()).toEqual([]);
});

test('a payload that does not fit its declaration fails instead of running', async () => {
  await database.sql`
    insert into job (name, queue, lane, payload)
    values ('assets.readMetadata', 'metadataExtraction', 'metadata', '{"assetId": 7}')`;
  let ran = false;
  await drain(async () => {
    ran = true;
  });
  expect(ran).toBe(false);
  expect(await rows()).toMatchObject([{ state: 'waiting', failures: 1 }]);
});
