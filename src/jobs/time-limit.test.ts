import { describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { releaseExpired } from './claims.ts';
import { JobTimeoutError } from './define.ts';
import { cancelJobs } from './queue.ts';

const { database, start, drain, add, listJobs, listEffects, record } = await useMetadataLane();

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
  expect(await listJobs()).toMatchObject([
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
  expect(await listJobs()).toMatchObject([{ state: 'failed', failures: readMetadata.attempts }]);
});

describe('what a job leaves is marked when its last attempt fails', () => {
  const lastAttempt = async () => {
    await add();
    await database.sql`update job set failures = ${readMetadata.attempts - 1}`;
  };
  const mark: Parameters<Parameters<MetadataHandler>[0]['onFailed']>[0] = (tx, error) =>
    record(String(error))(tx);

  test('by an error, and not before the last attempt', async () => {
    const fails: MetadataHandler = async ({ onFailed }) => {
      onFailed(mark);
      throw new Error('no picture');
    };
    await add();
    await drain(fails);
    expect(await listEffects()).toEqual([]);
    await database.sql`truncate job`;
    await lastAttempt();
    await drain(fails);
    expect(await listEffects()).toEqual(['Error: no picture']);
    expect(await listJobs()).toMatchObject([{ state: 'failed', last_error: 'no picture' }]);
  });

  const TOO_LONG = 'JobTimeoutError: The job exceeded its time limit of 0.05 s';

  test('by its time limit', async () => {
    await lastAttempt();
    await drain(async ({ onFailed, signal }) => {
      onFailed(mark);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('stopped half-way');
    }, slow(50));
    expect(await listEffects()).toEqual([TOO_LONG]);
  });

  test('by a time limit that its handler ignores', async () => {
    await lastAttempt();
    const gate = Promise.withResolvers<void>();
    const reported = Promise.withResolvers<string>();
    const handler: MetadataHandler = async ({ onFailed }) => {
      onFailed(mark);
      await gate.promise;
      return record('late');
    };
    const lane = start(handler, { ...slow(50), abortGraceMs: 50, onStuck: reported.resolve });
    await reported.promise;
    gate.resolve();
    await lane.stop(1000);
    expect(await listEffects()).toEqual([TOO_LONG]);
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
    expect(await listEffects()).toEqual([]);
    expect(await listJobs()).toMatchObject([{ state: 'failed', last_error: 'no picture' }]);
  });

  test('not when the job was cancelled, or completes after all', async () => {
    await lastAttempt();
    await drain(async ({ onFailed }) => {
      onFailed(mark);
      await cancelJobs(
        database.db,
        (await listJobs()).map(({ id }) => id),
      );
      throw new Error('no picture');
    });
    await database.sql`truncate job`;
    await lastAttempt();
    await drain(async ({ onFailed }) => {
      onFailed(mark);
      return record('done');
    });
    expect(await listEffects()).toEqual(['done']);
  });
});

test('a handler that restarts its time limit may take as long as it makes progress', async () => {
  await add();
  await drain(async ({ restartTimeLimit }) => {
    for (let step = 0; step < 4; step++) {
      await Bun.sleep(700);
      restartTimeLimit();
    }
    return record('done');
  }, slow(2000));
  expect(await listEffects()).toEqual(['done']);
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
    const [job] = await listJobs();
    return job!.state === 'waiting' && job!.attempt > 0;
  });
  expect(await listJobs()).toMatchObject([{ attempt: 1, failures: 0 }]);
  await lane.stop(0);
  gate.resolve();
});

test('a handler that ignores its signal fails, its thread is reported, and the lane goes on', async () => {
  const stuck = randomUUID();
  await add(stuck);
  const gate = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<string>();
  const handler: MetadataHandler = async (_, { assetId }) => {
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
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 1, worker: null }]);
  await add();
  lane.wake();
  await until(async () => (await listEffects()).length > 0);
  gate.resolve();
  await lane.stop(1000);
  // It ended after all, and changed nothing.
  expect(await listEffects()).toEqual(['next']);
});
