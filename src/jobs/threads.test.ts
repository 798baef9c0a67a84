import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { waitUntilBlocked } from '../../test/support/blocked-statements.ts';
import { createSeededRandom } from '../../test/support/effort.ts';
import { useDatabase } from '../../test/support/database.ts';
import { seed } from '../../test/support/harness.ts';
import { addFile } from '../../test/support/processing.ts';
import { getAssetRow, listJobRows } from '../../test/support/rows.ts';
import { readMetadata, renderImage } from '../areas/assets/jobs.ts';
import { claimJobs } from './claims.ts';
import { enqueue } from './queue.ts';
import { jobs as registry } from '../job-registry.ts';
import { startThreads, type Threads, type ThreadsOptions } from './threads.ts';
import { until } from '../../test/support/until.ts';

const database = await useDatabase();
let threads: Threads | undefined;
beforeEach(async () => {
  await database.sql`truncate job, schedule`;
  // Only what a test queues shall run.
  const scheduled = registry.flatMap((job) => (job.everyMinutes === undefined ? [] : [job.name]));
  await database.sql`
    insert into schedule (name, next_at)
    select unnest(${scheduled}::text[]), now() + interval '1 day'`;
});
/** Ends the transactions of holdAsset; those that a failed test leaves would hold up all that waits for the oldest one. */
const releases: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const release of releases.splice(0)) await release();
  await threads?.stop(1000);
  threads = undefined;
});

const start = (over: Partial<ThreadsOptions> = {}) => {
  threads = startThreads({
    deps: database.deps,
    databaseUrl: database.deps.settings.databaseUrl!,
    jobs: registry,
    pollMs: 500,
    ...over,
  });
};
const jobs = () => listJobRows(database);
const getRow = (id: string) => getAssetRow(database, id);

const random = createSeededRandom('photos');

async function addPhoto(): Promise<string> {
  const { id: ownerId } = await seed(database).user();
  const background = { r: 9, g: random.below(255), b: 3 };
  const image = sharp({ create: { width: 500, height: 300, channels: 3, background } });
  const name = `${randomUUID()}.jpg`;
  return addFile(database, { name, bytes: await image.jpeg().toBuffer() }, { ownerId });
}

const FEW_CORES = 2;
const MANY_CORES = 16;

test.each([
  [FEW_CORES, ['safelight metadata+image+video']],
  [MANY_CORES, ['safelight image', 'safelight metadata']],
])(
  'on %d cores real threads do the jobs of an upload, woken by its commit, with the pools %j',
  async (cores, expected) => {
    // On a slow machine the first thread would end before the other one works.
    start({ cores, pollMs: 60_000, idleMs: 600_000 });
    const id = await addPhoto();
    const hold = await holdAsset();
    // The dispatcher listens once its first look is over.
    await until(async () => (await listeners()) > 0);
    await database.db.transaction(async (tx) => {
      await enqueue(tx, readMetadata, { assetId: id });
      await enqueue(tx, renderImage, { assetId: id });
      await enqueue(tx, renderImage, { assetId: hold.id });
    });
    await until(async () => (await jobs()).length === 1);
    const row = await getRow(id);
    expect(row).toMatchObject({ width: 500, height: 300, broken_reason: null });
    expect(row.thumbhash).not.toBeNull();
    expect(row.metadata_read_at).not.toBeNull();
    expect(await pools()).toEqual(expected);
    await hold.release();
    await until(async () => (await jobs()).length === 0);
  },
);

test('without work there is no thread and no database connection of one', async () => {
  start({ idleMs: 50 });
  const id = await addPhoto();
  await enqueue(database.db, renderImage, { assetId: id });
  await until(async () => (await jobs()).length === 0);
  await until(async () => (await connections()) <= 5);
  // And the next job finds its way.
  await enqueue(database.db, renderImage, { assetId: await addPhoto() });
  await until(async () => (await jobs()).length === 0);
});

const pools = async (): Promise<string[]> =>
  (
    await database.sql`
      select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name ~ 'metadata|image' order by 1`
  ).map(({ name }) => name);

test('a lane that waits holds up no other of its thread, which ends without work and starts for each', async () => {
  const hold = await holdAsset();
  await enqueue(database.db, renderImage, { assetId: hold.id });
  start({ cores: FEW_CORES, idleMs: 50, pollMs: 60_000 });
  await waitUntilBlocked(database.sql);
  const id = await addPhoto();
  await enqueue(database.db, readMetadata, { assetId: id });
  await until(async () => (await getRow(id)).metadata_read_at !== null);
  // Longer than it may be idle.
  await Bun.sleep(500);
  expect(await jobs()).toMatchObject([{ lane: 'image', state: 'running', attempt: 1 }]);
  await hold.release();
  await until(async () => (await jobs()).length === 0);
  expect((await getRow(hold.id)).thumbhash).not.toBeNull();
  for (const job of [readMetadata, renderImage]) {
    await until(async () => (await pools()).length === 0);
    await enqueue(database.db, job, { assetId: await addPhoto() });
    await until(async () => (await jobs()).length === 0);
  }
});

/** A photo whose row is locked until its release: the job that renders it waits in its transaction. */
async function holdAsset() {
  const id = await addPhoto();
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const { promise: locked, resolve: setLocked } = Promise.withResolvers<void>();
  const holding = database.sql.begin(async (tx) => {
    await tx`select from asset where id = ${id} for update`;
    setLocked();
    await held;
  });
  await locked;
  const release = async () => {
    end();
    await holding;
  };
  releases.push(release);
  return { id, release };
}

test('jobs of a dead process are run by other processes', async () => {
  const id = await addPhoto();
  await enqueue(database.db, renderImage, { assetId: id });
  const [lost] = await claimJobs(database.db, {
    lane: 'image',
    worker: 'dead',
    names: ['assets.renderImage'],
    limit: 1,
    leaseMs: 100,
  });
  expect(lost).toBeDefined();
  start();
  await until(async () => (await getRow(id)).thumbhash !== null);
  await until(async () => (await jobs()).length === 0);
});

test('a process runs its own lanes only', async () => {
  const id = await addPhoto();
  await enqueue(database.db, renderImage, { assetId: id });
  await enqueue(database.db, readMetadata, { assetId: id });
  start({ lanes: ['metadata'] });
  await until(async () => (await getRow(id)).metadata_read_at !== null);
  expect(await jobs()).toMatchObject([{ name: 'assets.renderImage', state: 'waiting' }]);
});

test('one of many machines starts a scheduled job, and again when it is due', async () => {
  await database.sql`update schedule set next_at = now() where name = 'jobs.cleanUp'`;
  await database.sql`insert into job_done values ('ocr', 1), ('ocr', 2)`;
  start({ lanes: ['background'] });
  const other = startThreads({
    deps: database.deps,
    databaseUrl: database.deps.settings.databaseUrl!,
    jobs: registry,
    pollMs: 100,
    lanes: ['background'],
  });
  const folded = async () => {
    const rows = await database.sql`select jobs from job_done where queue = 'ocr'`;
    return rows.length === 1 && rows[0]!['jobs'] === '3';
  };
  await until(folded);
  await until(async () => (await jobs()).length === 0);
  const [done] = await database.sql`
    select sum(jobs)::int as jobs from job_done where queue = 'backgroundTask'`;
  expect(done!['jobs']).toBe(1);
  const [schedule] = await database.sql<[{ minutes: string }]>`
    select extract(epoch from next_at - now()) / 60 as minutes from schedule
    where name = 'jobs.cleanUp'`;
  expect(Number(schedule.minutes)).toBeWithin(9, 10.1);
  await other.stop(1000);
});

const listeners = async () =>
  (
    await database.sql`
      select 1 from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
  ).length;

const connections = async () =>
  (await database.sql`select 1 from pg_stat_activity where datname = current_database()`).length;
