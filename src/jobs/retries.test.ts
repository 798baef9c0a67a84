import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { TestDatabase } from '../../test/support/harness.ts';
import {
  emptyLanes,
  metadataLane,
  type MetadataHandler,
  openLaneDatabase,
} from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { findProblems } from '../areas/server/index.ts';
import { MediaHostUnavailable } from '../core/errors.ts';
import { ModelMissing } from '../inference/errors.ts';
import { MediaError, ToolMissing } from '../media/errors.ts';
import { claimJobs, releaseExpired } from './claims.ts';
import { listFaults } from './faults.store.ts';
import { queryRows } from '../db/query.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openLaneDatabase();
});
afterAll(() => database.close());
beforeEach(() => emptyLanes(database));

const { start, drain, add, listJobs, listEffects, record } = metadataLane(() => database);

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

const FAULTS: readonly (readonly [string, (database: TestDatabase) => Promise<never> | never])[] = [
  ['a missing media host', () => raise(new MediaHostUnavailable('/run/socket', undefined))],
  ['a missing tool', () => raise(new ToolMissing('exiftool'))],
  ['a missing model', () => raise(new ModelMissing('No models for ocr'))],
  ['a decoder that somebody ended', () => raise(new MediaError('killed', 'ended by SIGKILL'))],
  ['a full disk', async () => raise(await open('/dev/full', 'w').then(fill))],
  [
    'a library of PostgreSQL that was replaced',
    ({ sql: query }) => raiseInDatabase(query, '58P01'),
  ],
  ['an internal error of PostgreSQL', ({ sql: query }) => raiseInDatabase(query, 'XX000')],
  ['a database without memory', ({ sql: query }) => raiseInDatabase(query, '53200')],
];
const raise = (error: unknown): never => {
  throw error;
};
async function fill(file: FileHandle): Promise<Error> {
  try {
    await file.write('x');
    return new Error('the disk is not full');
  } catch (error) {
    return new Error('cannot write', { cause: error });
  } finally {
    await file.close();
  }
}
const raiseInDatabase = (query: TestDatabase['sql'], state: string): Promise<never> =>
  query.unsafe(`do $$ begin raise 'fault' using errcode = '${state}'; end $$`).then(raise);

test.each(FAULTS)('%s is no attempt: the job waits until it is over', async (_, meet) => {
  await add();
  let runs = 0;
  const waits: MetadataHandler = async ({ isLastAttempt }) => {
    runs += 1;
    expect(isLastAttempt).toBe(false);
    if (runs <= 2 * readMetadata.attempts) await meet(database);
    return record('done');
  };
  for (let run = 1; run <= 2 * readMetadata.attempts; run++) {
    await drain(waits);
    expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 0, faults: run }]);
  }
  expect(await listFaults(database.db)).toMatchObject([{ job: 'assets.readMetadata' }]);
  // A new thread tries again at once, however long the job would have waited.
  await drain(waits);
  expect([runs, await listJobs(), await listEffects()]).toEqual([7, [], ['done']]);
  expect(await listFaults(database.db)).toEqual([]);
});

test('a job that a failover interrupts waits for its retry, and administrators are told if that is interrupted, too', async () => {
  await add();
  let isAway = true;
  const interrupted: MetadataHandler = async () => {
    if (isAway) await raiseInDatabase(database.sql, '57P01');
    return record('done');
  };
  await drain(interrupted);
  expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 0, faults: 1 }]);
  const findKinds = async () => (await findProblems(database.deps)).map(({ kind }) => kind);
  expect([await listFaults(database.db), await findKinds()]).toEqual([[], []]);
  await drain(interrupted);
  expect(await listFaults(database.db)).toMatchObject([{ job: 'assets.readMetadata' }]);
  expect(await findKinds()).toEqual(['machineFault']);
  isAway = false;
  await drain(interrupted);
  expect([await listFaults(database.db), await listJobs()]).toEqual([[], []]);
});

const meetFault = () => raise(new ToolMissing('exiftool'));
test.each([
  ['in its work', meetFault, () => {}],
  ['when its result is saved', () => {}, meetFault],
])(
  'a fault that a job meets %s pauses the others, and its end takes up all of them',
  async (_, work, save) => {
    for (let n = 0; n < 30; n++) await add();
    let [runs, isFaulty] = [0, true];
    const lane = start(
      async () => {
        runs += 1;
        if (isFaulty) work();
        return async (tx) => {
          if (isFaulty) save();
          await record(String(runs))(tx);
        };
      },
      { batch: 5 },
    );
    await until(async () => (await listFaults(database.db)).length > 0);
    // Time for several tries.
    await Bun.sleep(1500);
    expect(runs).toBeLessThan(10);
    expect(await listJobs()).toHaveLength(30);
    expect((await listJobs()).every(({ failures }) => failures === 0)).toBe(true);
    isFaulty = false;
    await until(async () => (await listJobs()).length === 0 || (lane.wake(), false));
    await lane.stop(1000);
    expect(await listEffects()).toHaveLength(30);
    expect(await listFaults(database.db)).toEqual([]);
  },
);

test('a fault of one kind of job leaves the others of its lane running', async () => {
  const name = 'assets.renderImage';
  await database.sql`insert into job_fault (name, lane, error) values (${name}, 'image', 'none')`;
  await add();
  await drain(async () => record('done'));
  expect(await listEffects()).toEqual(['done']);
  expect(await listFaults(database.db)).toMatchObject([{ job: name }]);
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
