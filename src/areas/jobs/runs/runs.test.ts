import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  call,
  type Caller,
  createSession,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { metadataLane } from '../../../../test/support/metadata-lane.ts';
import { drainLane, jobCtx } from '../../../../test/support/processing.ts';
import type { App } from '../../../app.ts';
import { cancelJobs, enqueue } from '../../../jobs/queue.ts';
import { enqueueInRun, finishCounting, startRun } from '../../../jobs/runs.ts';
import { enqueueDueJobs, insertSchedule } from '../../../jobs/schedule.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { handleRequeue } from '../../assets/processing/requeue.handlers.ts';
import { readMetadata } from '../../assets/jobs.ts';
import { cleanMemories } from '../../memories/jobs.ts';
import { handleCleanUpQueue } from '../handlers.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
const lane = metadataLane(() => database);
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.sql`truncate job, job_run cascade`;
  await database.sql`truncate queue`;
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const list = async (query = '', caller: Caller = { as: admin }): Promise<any> =>
  (await call(app, `GET /jobs/runs${query}`, caller)).body;
const listItems = async (id: string, query = '', caller: Caller = { as: admin }): Promise<any> =>
  (await call(app, `GET /jobs/runs/${id}/items${query}`, caller)).body;
const put = (queue: string, body: object) => call(app, `PUT /jobs/${queue}`, { as: admin, body });
const requeue = () =>
  drainLane(database, 'background', {
    'assets.requeue': handleRequeue,
  } as HandlersByLane<'background'>);

/** A run about assets of a new account. */
async function addRun(assets = 1): Promise<{ id: string; assetIds: string[] }> {
  const { id: ownerId } = await seed(database).user();
  const assetIds = [];
  for (let i = 0; i < assets; i++) assetIds.push(await seed(database).asset({ ownerId }));
  const run = { name: 'test', queue: 'metadataExtraction', trigger: 'system' } as const;
  const id = await startRun(database.db, run);
  const payloads = assetIds.map((assetId) => ({ assetId }));
  await enqueueInRun(database.db, id, readMetadata, payloads);
  await finishCounting(database.db, id);
  return { id, assetIds };
}

describe('a run', () => {
  test('of a manual job names it and who started it', async () => {
    await call(app, 'POST /jobs', { as: admin, body: { name: 'memory-cleanup' } });
    expect(await list()).toEqual({
      items: [
        {
          id: expect.any(String),
          name: 'memory-cleanup',
          queue: 'backgroundTask',
          trigger: 'manual',
          status: 'queued',
          force: false,
          total: 1,
          processed: 0,
          succeeded: 0,
          failed: 0,
          skipped: 0,
          requestedById: admin.id,
          createdAt: expect.any(String),
          startedAt: null,
          finishedAt: null,
          error: null,
        },
      ],
      total: 1,
      skip: 0,
      take: 25,
    });
  });

  test('EP-025: of a forced queue is about all assets, and counts until all have ended', async () => {
    await database.sql`delete from asset`;
    const { id: ownerId } = await seed(database).user();
    const ids = [
      await seed(database).asset({ ownerId, metadataReadAt: new Date() }),
      await seed(database).asset({ ownerId }),
    ];
    expect((await put('metadataExtraction', { command: 'start', force: true })).status).toBe(200);
    const [counting] = (await list()).items;
    expect(counting).toMatchObject({
      name: 'metadataExtraction',
      queue: 'metadataExtraction',
      trigger: 'manual',
      force: true,
      total: null,
      status: 'queued',
    });
    await requeue();
    expect((await list()).items).toMatchObject([{ total: 2, processed: 0, status: 'queued' }]);
    await lane.drain(async () => {});
    expect((await list()).items).toMatchObject([
      {
        total: 2,
        processed: 2,
        succeeded: 2,
        status: 'completed',
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
      },
    ]);
    const { items, total } = await listItems(counting.id);
    expect([total, items.map(({ targetId }: any) => targetId).toSorted()]).toEqual([
      2,
      ids.toSorted(),
    ]);
    expect(items[0]).toMatchObject({
      runId: counting.id,
      targetType: 'asset',
      status: 'succeeded',
      attempts: 1,
      error: null,
    });
  });

  test('of an empty library completes without items', async () => {
    await database.sql`delete from asset`;
    await put('thumbnailGeneration', { command: 'start' });
    await requeue();
    expect((await list()).items).toMatchObject([
      { total: 0, processed: 0, status: 'completed', finishedAt: expect.any(String) },
    ]);
  });

  test('tells running, paused, and items that fail', async () => {
    const { id, assetIds } = await addRun(2);
    await put('metadataExtraction', { command: 'pause' });
    expect((await list()).items).toMatchObject([{ status: 'paused' }]);
    await put('metadataExtraction', { command: 'resume' });
    await database.sql`update job set failures = 2 where payload ->> 'assetId' = ${assetIds[0]!}`;
    const seen: any[] = [];
    await lane.drain(
      async (_ctx, { assetId }) => {
        if (assetId === assetIds[0]) throw new Error('The file is broken');
        seen.push((await list()).items[0]?.status, (await listItems(id)).items[1].status);
      },
      { concurrency: 1 },
    );
    expect(seen).toEqual(['running', 'running']);
    expect((await list()).items).toMatchObject([
      { status: 'completed', total: 2, processed: 2, succeeded: 1, failed: 1, skipped: 0 },
    ]);
    const { items } = await listItems(id);
    expect(items).toMatchObject([
      { targetId: assetIds[0], status: 'failed', error: 'The file is broken', attempts: 1 },
      { targetId: assetIds[1], status: 'succeeded', error: null },
    ]);
    await put('metadataExtraction', { command: 'clear-failed' });
    expect((await listItems(id)).items[0]).toMatchObject({ status: 'failed', attempts: 1 });
  });

  test('in which everything fails has failed', async () => {
    await addRun();
    await database.sql`update job set failures = 2`;
    await lane.drain(() => Promise.reject(new Error('no')));
    expect((await list()).items).toMatchObject([{ status: 'failed', failed: 1 }]);
  });

  test('ends when its queue is emptied, and when its jobs are cancelled', async () => {
    const { id } = await addRun(2);
    const [job] = await database.sql`select id from job limit 1`;
    await cancelJobs(database.db, [job!['id']]);
    await put('metadataExtraction', { command: 'empty' });
    await database.sql`update job set finished_at = now() - interval '2 hours'`;
    const effect = await handleCleanUpQueue(jobCtx(database), {});
    await database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await list()).items).toMatchObject([
      { id, status: 'completed', processed: 2, skipped: 2 },
    ]);
    await put('metadataExtraction', { command: 'start' });
    await put('metadataExtraction', { command: 'empty' });
    const [run] = (await list()).items;
    expect(run).toMatchObject({ status: 'cancelled', total: 0 });
  });

  test('takes over a job that waits already, but not from another run', async () => {
    const { id: ownerId } = await seed(database).user();
    const assetId = await seed(database).asset({ ownerId });
    await enqueue(database.db, readMetadata, { assetId });
    const add = async () => {
      const run = { name: 'test', queue: 'metadataExtraction', trigger: 'system' } as const;
      const id = await startRun(database.db, run);
      await enqueueInRun(database.db, id, readMetadata, [{ assetId }]);
      await finishCounting(database.db, id);
      return id;
    };
    const [first, second] = [await add(), await add()];
    await lane.drain(async () => {});
    const runs = Object.fromEntries((await list()).items.map((run: any) => [run.id, run]));
    expect(runs[first]).toMatchObject({ succeeded: 1, skipped: 0, status: 'completed' });
    expect(runs[second]).toMatchObject({ succeeded: 0, skipped: 1, status: 'completed' });
  });

  test('that waits to be counted is started once', async () => {
    const post = () => call(app, 'POST /jobs', { as: admin, body: { name: 'memory-create' } });
    await post();
    await post();
    expect((await list()).total).toBe(1);
  });

  test('is recorded for what the schedule starts once a day', async () => {
    await insertSchedule(database.db, [cleanMemories]);
    await database.sql`update schedule set next_at = now() where name = ${cleanMemories.name}`;
    await enqueueDueJobs(database.db, [cleanMemories]);
    expect((await list()).items).toMatchObject([
      { name: 'memories.clean', trigger: 'schedule', requestedById: null, total: 1 },
    ]);
  });

  test('is deleted after 90 days', async () => {
    const old = await addRun();
    const { id } = await addRun();
    await database.sql`
      update job_run set created_at = '2025-10-01' where id = ${old.id}`;
    await handleCleanUpQueue(jobCtx(database), {});
    expect((await list()).items.map((run: any) => run.id)).toEqual([id]);
    const [{ items }] = (await database.sql`
      select count(*)::int as items from job_run_item where run_id = ${old.id}`) as any;
    expect(items).toBe(0);
  });

  test('keeps its counts when they are folded', async () => {
    await addRun(3);
    await lane.drain(async () => {});
    const [before] = (await list()).items;
    const effect = await handleCleanUpQueue(jobCtx(database), {});
    await database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await list()).items).toEqual([before]);
    const [{ rows }] = (await database.sql`
      select count(*)::int as rows from job_run_count`) as any;
    expect(rows).toBe(1);
  });
});

describe('the items', () => {
  test('have the file name only of what the administrator may see', async () => {
    const stranger = await seed(database).user();
    const add = seed(database);
    const assetIds = [
      await add.asset({ ownerId: admin.id, fileName: 'mine.jpg' }),
      await add.asset({ ownerId: admin.id, fileName: 'locked.jpg', lockedAt: new Date() }),
      await add.asset({ ownerId: stranger.id, fileName: 'theirs.jpg' }),
    ];
    const run = { name: 'test', queue: 'metadataExtraction', trigger: 'system' } as const;
    const id = await startRun(database.db, run);
    const payloads = assetIds.map((assetId) => ({ assetId }));
    await enqueueInRun(database.db, id, readMetadata, payloads);
    const { items } = await listItems(id);
    expect(items.map(({ label }: any) => label)).toEqual(['mine.jpg', null, null]);
    expect(createSession(admin.id).unlocked).toBe(false);
    await database.sql`delete from asset where id = ${assetIds[0]!}`;
    expect((await listItems(id)).items[0]).toMatchObject({ label: null, targetId: assetIds[0] });
  });

  test('LM-020, LM-021: pages at and beyond their limits', async () => {
    const { id } = await addRun(3);
    expect((await listItems(id, '?skip=0&take=100')).items).toHaveLength(3);
    const page = await listItems(id, '?skip=1&take=1');
    expect([page.items.length, page.total, page.skip, page.take]).toEqual([1, 3, 1, 1]);
    expect((await listItems(id, '?skip=3')).items).toEqual([]);
    for (const query of ['skip=-1', 'take=101', 'take=0']) {
      const { status, body } = await call(app, `GET /jobs/runs/${id}/items?${query}`, {
        as: admin,
      });
      expect([query, status, body.errors[0].path]).toEqual([query, 400, [query.split('=')[0]]]);
    }
  });

  test('ID-003: of an unknown run are not found, whatever the version of its id', async () => {
    for (const id of [
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
      crypto.randomUUID(),
      Bun.randomUUIDv7(),
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ]) {
      const { status, body } = await call(app, `GET /jobs/runs/${id}/items`, { as: admin });
      expect([id, status, body.code]).toEqual([id, 404, 'not_found']);
    }
    expect((await call(app, 'GET /jobs/runs/x/items', { as: admin })).status).toBe(400);
  });
});

describe('the list', () => {
  test('LM-018, LM-019: is newest first; pages at and beyond their limits', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.unshift((await addRun()).id);
    expect((await list('?skip=0&take=100')).items.map(({ id }: any) => id)).toEqual(ids);
    expect((await list('?skip=1&take=1')).items.map(({ id }: any) => id)).toEqual([ids[1]]);
    for (const query of ['skip=-1', 'take=0', 'take=101']) {
      const { status, body } = await call(app, `GET /jobs/runs?${query}`, { as: admin });
      expect([query, status, body.errors[0].path]).toEqual([query, 400, [query.split('=')[0]]]);
    }
  });

  test('is for administrators with the permission', async () => {
    const { id } = await addRun();
    const user = await seed(database).user();
    const other = await seed(database).user(['job.create'], { isAdmin: true });
    for (const path of ['/jobs/runs', `/jobs/runs/${id}/items`] as const) {
      expect((await call(app, `GET ${path}`, { as: user })).status).toBe(403);
      expect((await call(app, `GET ${path}`, { as: other })).status).toBe(403);
      expect((await call(app, `GET ${path}`)).status).toBe(401);
    }
  });
});
