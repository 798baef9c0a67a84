import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type TestDatabase, testDatabase } from '../../test/support/harness.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { type Job, jobs } from '../job-registry.ts';
import { releaseExpired } from './claims.ts';
import { type JobHandler, JobTimeoutError } from './define.ts';
import { cancelJobs, enqueue } from './queue.ts';
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
