import { expect, test } from 'bun:test';
import { type FileHandle, open } from 'node:fs/promises';
import type { TestDatabase } from '../../test/support/harness.ts';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { readMetadata } from '../areas/assets/jobs.ts';
import { findProblems } from '../areas/server/index.ts';
import { MediaHostUnavailable } from '../core/errors.ts';
import { ModelMissing } from '../inference/errors.ts';
import { MediaError, ToolMissing } from '../media/errors.ts';
import { listFaults } from './faults.store.ts';

const { database, start, drain, add, listJobs, listEffects, record } = await useMetadataLane();

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

test('a fault is over, too, when the job that has met it has given way to a later one like it', async () => {
  const assetId = crypto.randomUUID();
  await add(assetId);
  const lane = start(async () => {
    if ((await listFaults(database.db)).length > 0) return record('done');
    await add(assetId);
    return raise(new ToolMissing('exiftool'));
  });
  await until(async () => (await listFaults(database.db)).length > 0);
  expect(await listJobs()).toMatchObject([{ faults: 0 }]);
  await until(async () => (await listEffects()).length > 0);
  await lane.stop(1000);
  expect([await listJobs(), await listFaults(database.db)]).toEqual([[], []]);
});
