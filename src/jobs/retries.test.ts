import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { claimJobs, releaseExpired } from './claims.ts';
import { queryRows } from '../db/query.ts';

// `machine-faults.test.ts` has faults of the machine.

const { database, start, drain, add, listJobs, listEffects, record } = await useMetadataLane();

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
  await until(async () => (await listJobs()).length === 0 || (lane.wake(), false));
  await lane.stop(1000);
  expect([runs, commits]).toEqual([2, 2]);
  expect(await listEffects()).toEqual(['done']);
});

test('a failing job is retried with growing delay, then parked with its last error', async () => {
  await add();
  const seen: boolean[] = [];
  const fails: MetadataHandler = async ({ isLastAttempt }) => {
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
  expect(await listJobs()).toMatchObject([
    { state: 'failed', attempt: 3, failures: 3, last_error: 'disk full', worker: null },
  ]);
  expect([...(await database.sql`select queue, jobs, failed from job_done`)]).toEqual([
    { queue: 'metadataExtraction', jobs: '0', failed: '1' },
  ]);
  expect(await listEffects()).toEqual([]);
});

test('an effect that fails takes the completion back with it', async () => {
  await add();
  await drain(async () => async (tx) => {
    await record('half')(tx);
    throw new Error('constraint');
  });
  expect(await listEffects()).toEqual([]);
  expect(await listJobs()).toMatchObject([
    { state: 'waiting', failures: 1, last_error: 'constraint' },
  ]);
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
  expect(await listEffects()).toEqual(['second']);
  expect(await listJobs()).toEqual([]);
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
  expect(await listJobs()).toMatchObject([{ state: 'waiting', attempt: 1, failures: 0 }]);
  await drain(async () => record('second'));
  gate.resolve();
  await stuck.drained();
  await stuck.stop(0);
  expect(await listEffects()).toEqual(['second']);
});

test('a long job keeps its lease', async () => {
  await add();
  let reclaimed = false;
  /** The first, and three times that it was renewed. */
  const leases = new Set<string>();
  const watch = setInterval(() => void releaseExpired(database.db), 10);
  await drain(
    async ({ signal }) => {
      await until(async () => {
        leases.add(String((await listJobs())[0]!.lease_until));
        return leases.size === 4;
      });
      reclaimed = signal.aborted;
      return record('long');
    },
    { leaseMs: 4000, checkMs: 20 },
  );
  clearInterval(watch);
  expect(reclaimed).toBe(false);
  expect(await listEffects()).toEqual(['long']);
});

test('a job whose process dies ten times is parked as failed', async () => {
  await add();
  const claim = { lane: 'metadata', worker: 'x', names: ['assets.readMetadata'] } as const;
  for (let n = 0; n < 10; n++) {
    await database.sql`update job set run_at = now()`;
    await claimJobs(database.db, { ...claim, limit: 1, leaseMs: -1 });
    await releaseExpired(database.db);
  }
  expect(await listJobs()).toMatchObject([{ state: 'failed', attempt: 10, failures: 0 }]);
});
