import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
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
import { claimJobs, releaseExpired } from './claims.ts';
import { type JobHandler, JobTimeoutError } from './define.ts';
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

const slow = (timeLimitMs: number) => ({ jobs: [{ ...readMetadata, timeLimitMs }] });

test('a handler that never ends is aborted at its time limit, counted as failed and retried', async () => {
  await add();
  let reason: unknown;
  await drain(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ({ reason } = signal);
    throw new Error('stopped half-way');
  }, slow(50));
  expect(reason).toBeInstanceOf(JobTimeoutError);
  expect(await rows()).toMatchObject([
    {
      state: 'waiting',
      failures: 1,
      worker: null,
      last_error: 'The job exceeded its time limit of 0.05 s',
    },
  ]);
});

test('a job that exceeds its time limit at its last attempt is parked as failed', async () => {
  await add();
  await database.sql`update job set failures = ${readMetadata.attempts - 1}`;
  await drain(async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  }, slow(50));
  expect(await rows()).toMatchObject([{ state: 'failed', failures: readMetadata.attempts }]);
});

describe('what a job leaves is marked when its last attempt fails', () => {
  const lastAttempt = async () => {
    await add();
    await database.sql`update job set failures = ${readMetadata.attempts - 1}`;
  };
  const mark: Parameters<Parameters<Handler>[0]['onFailed']>[0] = (tx, error) =>
    record(String(error))(tx);

  test('by an error, and not before the last attempt', async () => {
    const fails: Handler = async ({ onFailed }) => {
      onFailed(mark);
      throw new Error('no picture');
    };
    await add();
    await drain(fails);
    expect(await effects()).toEqual([]);
    await database.sql`truncate job`;
    await lastAttempt();
    await drain(fails);
    expect(await effects()).toEqual(['Error: no picture']);
    expect(await rows()).toMatchObject([{ state: 'failed', last_error: 'no picture' }]);
  });

  const TOO_LONG = 'JobTimeoutError: The job exceeded its time limit of 0.05 s';

  test('by its time limit', async () => {
    await lastAttempt();
    await drain(async ({ onFailed, signal }) => {
      onFailed(mark);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('stopped half-way');
    }, slow(50));
    expect(await effects()).toEqual([TOO_LONG]);
  });

  test('by a time limit that its handler ignores', async () => {
    await lastAttempt();
    const gate = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<string>();
    const handler: Handler = async ({ onFailed }) => {
      onFailed(mark);
      await gate.promise;
      return record('late');
    };
    const lane = start(handler, { ...slow(50), abortGraceMs: 50, onStuck: reported.resolve });
    await reported.promise;
    gate.resolve();
    await lane.stop(1000);
    expect(await effects()).toEqual([TOO_LONG]);
  });

  test('in the transaction that parks the job, which is parked even when marking fails', async () => {
    await lastAttempt();
    await drain(async ({ onFailed }) => {
      onFailed(async (tx) => {
        await record('half')(tx);
        throw new Error('cannot be marked');
      });
      throw new Error('no picture');
    });
    expect(await effects()).toEqual([]);
    expect(await rows()).toMatchObject([{ state: 'failed', last_error: 'no picture' }]);
  });

  test('not when the job was cancelled, or completes after all', async () => {
    await lastAttempt();
    await drain(async ({ onFailed }) => {
      onFailed(mark);
      await cancelJobs(
        database.db,
        (await rows()).map(({ id }) => id),
      );
      throw new Error('no picture');
    });
    await database.sql`truncate job`;
    await lastAttempt();
    await drain(async ({ onFailed }) => {
      onFailed(mark);
      return record('done');
    });
    expect(await effects()).toEqual(['done']);
  });
});

test('a handler that restarts its time limit may take as long as it makes progress', async () => {
  await add();
  await drain(async ({ restartTimeLimit }) => {
    for (let step = 0; step < 8; step++) {
      await Bun.sleep(40);
      restartTimeLimit();
    }
    return record('done');
  }, slow(150));
  expect(await effects()).toEqual(['done']);
});

test('the lease of a job past its time limit is not renewed', async () => {
  await add();
  const gate = Promise.withResolvers<void>();
  const lane = start(
    async () => {
      await gate.promise;
      return record('late');
    },
    { ...slow(50), leaseMs: 150 },
  );
  await until(async () => {
    await releaseExpired(database.db);
    return (await rows())[0].state === 'waiting';
  });
  expect(await rows()).toMatchObject([{ attempt: 1, failures: 0 }]);
  await lane.stop(0);
  gate.resolve();
});

test('a handler that ignores its signal fails, its thread is reported, and the lane goes on', async () => {
  const stuck = randomUUID();
  await add(stuck);
  const gate = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<string>();
  const handler: Handler = async (_, { assetId }) => {
    if (assetId === stuck) await gate.promise;
    return record(assetId === stuck ? 'stuck' : 'next');
  };
  const lane = start(handler, {
    ...slow(50),
    concurrency: 1,
    abortGraceMs: 50,
    onStuck: reported.resolve,
  });
  expect(await reported.promise).toContain('assets.readMetadata');
  expect(await rows()).toMatchObject([{ state: 'waiting', failures: 1, worker: null }]);
  await add();
  lane.wake();
  await until(async () => (await effects()).length > 0);
  gate.resolve();
  await lane.stop(1000);
  // It ended after all, and changed nothing.
  expect(await effects()).toEqual(['next']);
});
