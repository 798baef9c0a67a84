import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { addFace } from '../../../test/support/people.ts';
import { drainLane } from '../../../test/support/processing.ts';
import { QUEUE_NAMES } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import type { HandlersByLane } from '../../job-registry.ts';
import { settleLibrary } from '../libraries/index.ts';
import { readMetadata, renderImage } from '../assets/jobs.ts';
import { handleRequeue } from '../assets/processing/requeue.handlers.ts';
import { type QueueResponseLegacyDto, QueuesResponseLegacyDto } from './schemas.ts';
import { foldFinishedJobs } from './store.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  await database.sql`truncate job, job_done, queue`;
  // A queue stays active while an item waits to be read, indexed or grouped.
  for (const table of ['face', 'asset', 'asset_text_change'])
    await database.sql`delete from ${database.sql(table)}`;
});

const put = (name: string, body: object) => call(app, `PUT /jobs/${name}`, { as: admin, body });
const add = (job: typeof readMetadata | typeof renderImage) =>
  enqueue(database.db, job, { assetId: randomUUID() });
const NOTHING = { active: 0, completed: 0, delayed: 0, failed: 0, paused: 0, waiting: 0 };

test('GET /jobs names exactly the queues that clients know', async () => {
  const { status, body } = await call(app, 'GET /jobs', { as: admin });
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual([...QUEUE_NAMES].sort());
  expect(Value.Check(QueuesResponseLegacyDto, body)).toBe(true);
  expect(body.ocr).toEqual({
    jobCounts: NOTHING,
    queueStatus: { isActive: false, isPaused: false },
  });
});

test('jobs are counted by state, finished ones too', async () => {
  for (let n = 0; n < 5; n++) await add(readMetadata);
  await database.sql`
    update job set state = 'running', lease_until = now() where id = (select min(id) from job)`;
  await database.sql`
    update job set state = 'failed' where id = (select min(id) from job where state = 'waiting')`;
  await database.sql`
    update job set run_at = now() + interval '1 hour'
    where id = (select max(id) from job where state = 'waiting')`;
  await database.sql`insert into job_done values ('metadataExtraction', 7), ('metadataExtraction', 1)`;

  const counts = { active: 1, completed: 8, delayed: 1, failed: 1, paused: 0, waiting: 2 };
  const { body } = await call(app, 'GET /jobs', { as: admin });
  expect(body.metadataExtraction.jobCounts).toEqual(counts);
  expect(body.thumbnailGeneration.jobCounts).toEqual(NOTHING);
  expect(body.metadataExtraction.queueStatus.isActive).toBe(true);

  await database.db.transaction(foldFinishedJobs);
  expect((await database.sql`select * from job_done`).length).toBe(1);
  const queue = await call(app, 'GET /queues/metadataExtraction', { as: admin });
  expect(queue.body).toEqual({ name: 'metadataExtraction', isPaused: false, statistics: counts });
});

// Immich's clients take a queue without active and waiting jobs for done.
test('a scan waits until its last step, also while files are being read', async () => {
  await enqueue(database.db, settleLibrary, { libraryId: randomUUID() });
  await database.sql`update job set run_at = now() + interval '2 seconds'`;
  const { body } = await call(app, 'GET /jobs', { as: admin });
  expect(body.library.jobCounts).toEqual({ ...NOTHING, waiting: 1 });
  const queue = await call(app, 'GET /queues/library', { as: admin });
  expect(queue.body.statistics).toEqual({ ...NOTHING, waiting: 1 });
});

test('a queue is active while its periodic job has work that it has not begun', async () => {
  const owner = await seed(database).user();
  const assetId = await seed(database).asset({ ownerId: owner.id });
  const readAll = async () => {
    const { body } = await call(app, 'GET /jobs', { as: admin });
    const { facialRecognition, search, sidecar } = body;
    return [facialRecognition, search, sidecar].map(({ jobCounts, queueStatus }) => [
      queueStatus.isActive,
      jobCounts.active,
      jobCounts.paused,
    ]);
  };
  const idle = [false, 0, 0];
  await addFace(database, { ownerId: owner.id, assetId, clusteredAt: null });
  await database.sql`delete from asset_text_change`;
  expect(await readAll()).toEqual([[true, 1, 0], idle, idle]);
  await put('facialRecognition', { command: 'pause' });
  expect(await readAll()).toEqual([[false, 0, 1], idle, idle]);
  await put('facialRecognition', { command: 'resume' });
  await database.sql`update face set clustered_at = now()`;
  await database.sql`insert into asset_text_change (asset_id) values (${assetId})`;
  expect(await readAll()).toEqual([idle, [true, 1, 0], idle]);
  await database.sql`delete from asset_text_change`;
  expect(await readAll()).toEqual([idle, idle, idle]);
});

test('pause and resume act on one queue; its waiting jobs are shown as paused', async () => {
  await add(readMetadata);
  await add(renderImage);
  const paused = await put('metadataExtraction', { command: 'pause' });
  expect(paused.body).toMatchObject({
    jobCounts: { waiting: 0, paused: 1 },
    queueStatus: { isPaused: true },
  });
  const { body } = await call(app, 'GET /queues', { as: admin });
  expect(
    body
      .filter((queue: { isPaused: boolean }) => queue.isPaused)
      .map((queue: { name: string }) => queue.name),
  ).toEqual(['metadataExtraction']);
  const resumed = await put('metadataExtraction', { command: 'resume' });
  expect(resumed.body).toMatchObject({
    jobCounts: { waiting: 1, paused: 0 },
    queueStatus: { isPaused: false },
  });
  const again = await call(app, 'PUT /queues/thumbnailGeneration', {
    as: admin,
    body: { isPaused: true },
  });
  expect(again.body).toMatchObject({ isPaused: true, statistics: { paused: 1 } });
});

test('empty removes what waits, clear-failed what failed, each in one queue', async () => {
  await add(readMetadata);
  await add(readMetadata);
  await add(renderImage);
  await database.sql`
    update job set state = 'failed'
    where id = (select min(id) from job where queue = 'metadataExtraction')`;
  const emptied = await put('metadataExtraction', { command: 'empty' });
  expect(emptied.body.jobCounts).toMatchObject({ waiting: 0, failed: 1 });
  const cleared = await put('metadataExtraction', { command: 'clear-failed' });
  expect(cleared.body.jobCounts).toMatchObject({ waiting: 0, failed: 0 });
  expect((await database.sql`select queue from job`).map((row) => row['queue'])).toEqual([
    'thumbnailGeneration',
  ]);
});

test('a started queue is active at once, in its own name only, until nothing is left', async () => {
  const activeQueues = async () => {
    const { body } = await call(app, 'GET /jobs', { as: admin });
    const queues = Object.entries<QueueResponseLegacyDto>(body);
    expect(queues.every(([, queue]) => queue.jobCounts.waiting === 0)).toBe(true);
    return queues.filter(([, { queueStatus }]) => queueStatus.isActive).map(([name]) => name);
  };
  for (const queue of ['thumbnailGeneration', 'ocr', 'facialRecognition']) {
    const started = await put(queue, { command: 'start' });
    expect(started.body).toEqual({
      jobCounts: { ...NOTHING, active: 1 },
      queueStatus: { isActive: true, isPaused: false },
    });
    expect(await activeQueues()).toEqual([queue]);
    expect((await put(queue, { command: 'start' })).status).toBe(400);
    const emptied = await put(queue, { command: 'empty' });
    expect(emptied.body.queueStatus.isActive).toBe(false);
    expect(await activeQueues()).toEqual([]);
  }
  await put('facialRecognition', { command: 'pause' });
  const paused = await put('facialRecognition', { command: 'start' });
  expect(paused.body).toEqual({
    jobCounts: { ...NOTHING, paused: 1 },
    queueStatus: { isActive: false, isPaused: true },
  });
});

test('start queues the search for assets once; an active queue answers 400', async () => {
  expect((await put('thumbnailGeneration', { command: 'start' })).status).toBe(200);
  expect((await put('thumbnailGeneration', { command: 'start', force: true })).status).toBe(400);
  const jobs = await database.sql`select name, payload from job`;
  expect([...jobs]).toEqual([
    {
      name: 'assets.requeue',
      payload: { queue: 'thumbnailGeneration', force: false, runId: expect.any(String) },
    },
  ]);

  await add(readMetadata);
  await database.sql`update job set state = 'running' where queue = 'metadataExtraction'`;
  const active = await put('metadataExtraction', { command: 'start' });
  expect([active.status, active.body.message]).toEqual([400, 'Job is already running']);
  expect((await put('backgroundTask', { command: 'start' })).status).toBe(400);
  expect((await put('smartSearch', { command: 'start' })).status).toBe(200);
});

test('EP-025: a forced start is about all assets, not only those that lack something', async () => {
  const { id: ownerId } = await seed(database).user();
  const done = await seed(database).asset({ ownerId, metadataReadAt: new Date() });
  const fresh = await seed(database).asset({ ownerId });
  const started = async (force: boolean) => {
    await database.sql`truncate job`;
    await put('metadataExtraction', { command: 'start', force });
    await drainLane(database, 'background', {
      'assets.requeue': handleRequeue,
    } as HandlersByLane<'background'>);
    const jobs = await database.sql`select payload ->> 'assetId' as id from job order by 1`;
    return jobs.map((row) => row['id'] as string);
  };
  expect(await started(false)).toEqual([fresh]);
  expect(await started(true)).toEqual([done, fresh].toSorted());
});

test.each([
  ['memory-create', 'memories.generateAll'],
  ['memory-cleanup', 'memories.clean'],
  ['user-cleanup', 'users.removeAccounts'],
  ['backup-database', 'databaseBackups.backUpDatabase'],
  ['video-enrichment-refresh', 'assets.requeue'],
  ['document-refresh', 'assets.requeue'],
])('POST /jobs: %s starts its job, once while that waits', async (name, job) => {
  const jobs = () => database.sql`select name from job`;
  const post = (caller: Caller) => call(app, 'POST /jobs', { ...caller, body: { name } });
  const user = await seed(database).user();
  const other = await seed(database).user(['job.read'], { isAdmin: true });
  expect((await post({ as: user })).status).toBe(403);
  expect((await post({ as: other })).status).toBe(403);
  expect((await post({})).status).toBe(401);
  expect(await jobs()).toEqual([] as never);
  for (const { status, body } of [await post({ as: admin }), await post({ as: admin })]) {
    expect([status, body]).toEqual([204, undefined]);
  }
  expect(await jobs()).toEqual([{ name: job }] as never);
});

describe('refusals', () => {
  test.each([
    ['POST /jobs', { name: 'nonsense' }],
    ['POST /jobs', { name: 'physical-deduplication-apply' }],
    ['POST /jobs', {}],
    ['PUT /jobs/nonsense', { command: 'pause' }],
    ['PUT /jobs/ocr', { command: 'burn' }],
    ['PUT /jobs/ocr', { command: 'start', force: 'yes' }],
    ['PUT /jobs/ocr', {}],
    ['GET /queues/nonsense', undefined],
  ] as const)('400 for %s %p', async (route, body) => {
    expect((await call(app, route, { as: admin, body })).status).toBe(400);
  });

  test.each([
    ['GET /jobs', 'job.read'],
    ['PUT /jobs/ocr', 'job.create'],
    ['GET /queues', 'queue.read'],
    ['GET /queues/ocr', 'queue.read'],
    ['PUT /queues/ocr', 'queue.update'],
  ] as const)('%s: administrators only, and keys with %s', async (route, permission) => {
    const body = route.startsWith('PUT') ? { command: 'pause', isPaused: true } : undefined;
    const make = seed(database);
    const key = await make.user([permission], { isAdmin: true });
    expect((await call(app, route, { as: key, body })).status).toBe(200);
    await database.sql`truncate queue`;
    const user = await make.user();
    const other = await make.user(
      ['asset.read', 'job.read', 'job.create'].filter((p) => p !== permission),
      {
        isAdmin: true,
      },
    );
    expect((await call(app, route, { as: user, body })).status).toBe(403);
    expect((await call(app, route, { as: other, body })).status).toBe(403);
    expect((await call(app, route, { body })).status).toBe(401);
    expect((await database.sql`select * from queue`).length).toBe(0);
  });
});
