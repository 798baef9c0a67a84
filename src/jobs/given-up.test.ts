import { expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { type MetadataHandler, useMetadataLane } from '../../test/support/metadata-lane.ts';
import { until } from '../../test/support/until.ts';
import { jobs } from '../job-registry.ts';
import { MediaError, ToolMissing } from '../media/errors.ts';
import { closeStores, openStores } from '../storage/library-folders.ts';
import { createGivenUpWatch, retryGivenUp } from './given-up.ts';
import { FinalFailure } from './postpone.ts';

const { database, start, drain, add, listJobs, listEffects, record } = await useMetadataLane();
const NAMES = ['assets.readMetadata'];

const failsWith =
  (error: Error): MetadataHandler =>
  async () => {
    throw error;
  };
const stalled = failsWith(new MediaError('interrupted', 'no progress'));

/** Runs the job until it is given up. */
async function giveUp(handler: MetadataHandler): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    await database.sql`update job set run_at = now() where state = 'waiting'`;
    await drain(handler);
  }
  expect((await listJobs()).map(({ state }) => state)).toEqual(['failed']);
}

async function findHours(): Promise<number> {
  const [row] = await database.sql`
    select round(extract(epoch from run_at - now()) / 3600)::float8 as hours from job`;
  return row!['hours'];
}

test('a job that is given up is tried again for ever: hours later, then once a day', async () => {
  await add();
  await giveUp(stalled);
  const hours = [await findHours()];
  await retryGivenUp(database.db, NAMES);
  expect(await listJobs()).toMatchObject([{ state: 'failed' }]);
  for (let attempt = 4; attempt <= 9; attempt++) {
    await database.sql`update job set run_at = now()`;
    await retryGivenUp(database.db, NAMES);
    expect(await listJobs()).toMatchObject([{ state: 'waiting' }]);
    await drain(stalled);
    expect(await listJobs()).toMatchObject([{ state: 'failed', failures: attempt }]);
    hours.push(await findHours());
  }
  expect(hours).toEqual([2, 4, 8, 16, 24, 24, 24]);
  await database.sql`update job set run_at = now()`;
  await retryGivenUp(database.db, NAMES);
  await drain(async () => record('done'));
  expect([await listJobs(), await listEffects()]).toEqual([[], ['done']]);
});

test('a server that starts takes it up at once, and once only', async () => {
  const retry = createGivenUpWatch(jobs);
  await add();
  await giveUp(stalled);
  await retry(database.db);
  expect(await listJobs()).toMatchObject([{ state: 'waiting' }]);
  await drain(stalled);
  await retry(database.db);
  expect(await listJobs()).toMatchObject([{ state: 'failed' }]);
});

test('the end of a fault of the machine takes it up at once', async () => {
  const [givenUp, other] = [randomUUID(), randomUUID()];
  await add(givenUp);
  await giveUp(stalled);
  await add(other);
  const runs: string[] = [];
  const recovers: MetadataHandler = async (_, { assetId }) => {
    runs.push(assetId);
    if (runs.length === 1) throw new ToolMissing('exiftool');
    return record(assetId);
  };
  await drain(recovers);
  await drain(recovers);
  await drain(recovers);
  expect(runs).toEqual([other, other, givenUp]);
  expect(await listJobs()).toEqual([]);
});

test.each([
  ['a verdict on the file', new MediaError('broken', 'no picture')],
  ['a final failure', new FinalFailure('refused')],
])('%s is not tried again', async (_, error) => {
  await add();
  await drain(failsWith(error));
  await giveUp(failsWith(error));
  await createGivenUpWatch(jobs)(database.db);
  expect(await listJobs()).toMatchObject([{ state: 'failed' }]);
});

test('jobs of other kinds are not tried again, also those that an earlier version gave up', async () => {
  await database.sql`
    insert into job (name, queue, lane, payload, state, run_at)
    values ('notifications.send', 'notifications', 'background', '{}', 'failed', now())`;
  await createGivenUpWatch(jobs)(database.db);
  expect(await listJobs()).toMatchObject([{ state: 'failed' }]);
});

test('of those that do the same work one is tried again, and none beside one that waits', async () => {
  const id = randomUUID();
  for (const error of ['first', 'second']) {
    await database.sql`
      insert into job (name, queue, lane, payload, unique_key, state, last_error)
      values ('assets.readMetadata', 'metadataExtraction', 'metadata',
        jsonb_build_object('assetId', ${id}::text), ${id}, 'failed', ${error})`;
  }
  await retryGivenUp(database.db, NAMES);
  expect(await listJobs()).toMatchObject([{ state: 'waiting', last_error: 'second' }]);
  await database.sql`update job set state = 'failed'`;
  await add(id);
  await retryGivenUp(database.db, NAMES);
  expect(await listJobs()).toMatchObject([{ state: 'waiting', last_error: null }]);
});

test('while a folder of the library is away, no failure is an attempt', async () => {
  const { paths } = database.deps;
  for (const folder of [paths.originals, paths.derived, paths.backups]) {
    await mkdir(folder, { recursive: true });
  }
  expect(await openStores(database.deps)).toBeUndefined();
  await add();
  let losses = 0;
  const losesDisk: MetadataHandler = async () => {
    losses += 1;
    await rename(paths.originals, `${paths.originals}.away`);
    await mkdir(paths.originals);
    throw new Error('ENOENT: no such file');
  };
  try {
    const lane = start(losesDisk);
    await until(async () => (await listJobs())[0]!.state === 'waiting' && losses > 0);
    await lane.stop(1000);
    expect(await listJobs()).toMatchObject([{ state: 'waiting', failures: 0, faults: 1 }]);
  } finally {
    await rm(paths.originals, { recursive: true });
    await rename(`${paths.originals}.away`, paths.originals);
  }
  await drain(async () => record('done'));
  closeStores(paths);
  expect([await listJobs(), await listEffects()]).toEqual([[], ['done']]);
});
