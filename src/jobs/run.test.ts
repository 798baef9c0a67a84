import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntilBlocked } from '../../test/support/blocked-statements.ts';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata, renderEdits, renderImage, transcodeVideo } from '../areas/assets/jobs.ts';
import { createLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { setPaused } from '../areas/jobs/store.ts';
import { jobs } from '../job-registry.ts';
import { releaseExpired } from './claims.ts';
import { cancelJobs, enqueue, enqueueMany } from './queue.ts';
import { runLane } from './run.ts';

const { database, start, drain, add, listJobs, listEffects, record } = await useMetadataLane();

test('a job runs once, is seen only when its transaction commits, and leaves a count', async () => {
  const ran: string[] = [];
  const handler: MetadataHandler = async (_, { assetId }) => {
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
  expect(await listJobs()).toEqual([]);
  expect([...(await database.sql`select queue, jobs from job_done`)]).toEqual([
    { queue: 'metadataExtraction', jobs: '1' },
  ]);
});

test('a lane is idle only when the jobs that its jobs have enqueued are done, too', async () => {
  let left = 100;
  await add();
  await drain(async () => {
    left -= 1;
    if (left > 0) await enqueue(database.db, readMetadata, { assetId: randomUUID() });
  });
  expect(left).toBe(0);
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
  expect([await listEffects(), (await listJobs())[0]!.state]).toEqual([[], 'waiting']);
  mkdirSync(root);
  lane.wake();
  await until(async () => (await listEffects()).length > 0);
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
  expect(await listJobs()).toEqual([]);
});

test('two waiting jobs with one key are one; a running one does not count', async () => {
  const id = randomUUID();
  await add(id);
  await add(id);
  expect(await listJobs()).toHaveLength(1);

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
  expect(await listEffects()).toEqual([id, id]);
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
  const handler: MetadataHandler = async (_, { assetId }) => {
    order.push(assetId);
  };
  await drain(handler, { concurrency: 1, batch: 1 });
  expect(order).toEqual([ids[4]!, ids[0]!, ids[1]!, ids[2]!, ids[3]!, ids[5]!]);
});

test('cancelling aborts the signal of a running job at the next check and discards its effect', async () => {
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
  const [row] = await listJobs();
  await cancelJobs(database.db, [row!.id]);
  await until(() => signal.aborted);
  await lane.drained();
  await lane.stop(0);
  expect(await listEffects()).toEqual([]);
  expect(await listJobs()).toMatchObject([{ state: 'cancelled', failures: 0 }]);
});

test('jobs of a paused queue are not claimed', async () => {
  await add();
  await setPaused(database.db, 'metadataExtraction', true);
  await drain(async () => record('a'));
  expect(await listEffects()).toEqual([]);
  await setPaused(database.db, 'metadataExtraction', false);
  await drain(async () => record('a'));
  expect(await listEffects()).toEqual(['a']);
});

test('a lane leaves the jobs of other lanes and of newer versions alone', async () => {
  await enqueue(database.db, transcodeVideo, { assetId: randomUUID() });
  await database.sql`
    insert into job (name, queue, lane, payload) values ('assets.x', 'ocr', 'metadata', '{}')`;
  await drain(async () => record('a'));
  expect(await listJobs()).toMatchObject([{ state: 'waiting' }, { state: 'waiting', attempt: 0 }]);
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
    { batch: 2 },
  );
  await started.promise;
  await lane.stop(0);
  const left = await listJobs();
  expect(left).toHaveLength(5);
  for (const row of left) {
    expect(row).toMatchObject({ state: 'waiting', attempt: 0, failures: 0, worker: null });
  }
});

test('a job whose effect waits for a row keeps its claim, and holds up no lease of the others', async () => {
  await database.sql`insert into effect values ('wanted')`;
  await Promise.all([add(), add()]);
  const signals: AbortSignal[] = [];
  const other = Promise.withResolvers<void>();
  let runs = 0;
  const lane = start(
    async ({ signal }) => {
      signals.push(signal);
      if (++runs === 2) return other.promise;
      return async (tx) => {
        await tx.execute('select from effect for update');
      };
    },
    { leaseMs: 600, checkMs: 50, concurrency: 2 },
  );
  await database.sql.begin(async (tx) => {
    await tx`select from effect for update`;
    lane.wake();
    await until(() => runs === 2);
    await waitUntilBlocked(database.sql);
    // Longer than a lease.
    for (let n = 0; n < 5; n++) {
      await Bun.sleep(300);
      await releaseExpired(database.db);
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    expect((await listJobs()).map(({ state, attempt }) => [state, attempt])).toEqual([
      ['running', 1],
      ['running', 1],
    ]);
  });
  other.resolve();
  await until(async () => (await listJobs()).length === 0);
  expect(runs).toBe(2);
  await lane.stop(1000);
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
  expect(await listEffects()).toEqual(['done']);
  expect(await listJobs()).toEqual([]);
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
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 1 }]);
});

test('a limit that is set while jobs run holds for the next ones, and can be raised again', async () => {
  for (let n = 0; n < 8; n++) await add();
  const running: { readonly end: () => void }[] = [];
  const lane = start(
    async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.push({ end: resolve });
      await promise;
    },
    { concurrency: 3, batch: 4 },
  );
  const countDone = async () =>
    Number((await database.sql`select coalesce(sum(jobs), 0) as jobs from job_done`)[0]!['jobs']);
  const end = async (jobs: number) => {
    const before = await countDone();
    for (const { end } of running.splice(0, jobs)) end();
    await until(async () => (await countDone()) === before + jobs);
  };
  await until(() => running.length === 3);
  lane.setLimits({ metadataExtraction: 1 });
  await end(2);
  expect(running.length).toBe(1);
  await end(1);
  await until(() => running.length === 1);
  lane.setLimits({ metadataExtraction: 4 });
  await until(() => running.length === 4);
  expect((await listJobs()).length).toBe(5);
  lane.setLimits({});
  await end(1);
  expect(running.length).toBe(3);
  await end(1);
  await until(() => running.length === 3);
  await end(3);
  await lane.drained();
  await lane.stop(0);
});

test('a queue at its limit leaves the other queues of its lane their slots', async () => {
  for (let n = 0; n < 3; n++) await enqueue(database.db, renderImage, { assetId: randomUUID() });
  for (let n = 0; n < 3; n++) await enqueue(database.db, renderEdits, { assetId: randomUUID() });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const running: string[] = [];
  const hold = (name: string) => async () => {
    running.push(name);
    await held;
  };
  const lane = runLane({
    deps: database.deps,
    lane: 'image',
    jobs,
    worker: 'limited',
    handlers: {
      'assets.renderImage': hold('image'),
      'assets.renderEdits': hold('edits'),
      'people.render': hold('person'),
    },
    concurrency: 3,
    limits: { thumbnailGeneration: 1, editor: 2 },
  });
  await until(() => running.length === 3);
  expect(running.toSorted()).toEqual(['edits', 'edits', 'image']);
  release();
  await until(async () => (await listJobs()).length === 0);
  await lane.stop(0);
});
