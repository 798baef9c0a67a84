import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addRun } from '../../../../test/support/job-runs.ts';
import type { Json } from '../../../../test/support/json.ts';
import { openMetadataLane } from '../../../../test/support/metadata-lane.ts';
import { drainLane, jobCtx } from '../../../../test/support/processing.ts';
import type { JobHandler } from '../../../jobs/define.ts';
import { cancelJobs, enqueue } from '../../../jobs/queue.ts';
import { enqueueInRun, enqueueNext, finishCounting, startRun } from '../../../jobs/runs.ts';
import { enqueueDueJobs, updateSchedule } from '../../../jobs/schedule.ts';
import type { HandlersByLane } from '../../../job-registry.ts';
import { handleRequeue } from '../../assets/processing/requeue.handlers.ts';
import { readMetadata } from '../../assets/jobs.ts';
import { refreshReport } from '../../integrity/jobs.ts';
import { cleanMemories } from '../../memories/jobs.ts';
import { handleCleanUpQueue } from '../handlers.ts';
import type { JobRun } from './runs.schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
const lane = openMetadataLane(database);
beforeEach(async () => {
  await database.sql`truncate job, job_run cascade`;
  await database.sql`truncate queue`;
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const list = async (): Promise<Json> => (await call(app, 'GET /jobs/runs', { as: admin })).body;
const listItems = async (id: string): Promise<Json> =>
  (await call(app, `GET /jobs/runs/${id}/items`, { as: admin })).body;
const put = (queue: string, body: object) => call(app, `PUT /jobs/${queue}`, { as: admin, body });
const requeue = () =>
  drainLane(database, 'background', {
    'assets.requeue': handleRequeue,
  } as HandlersByLane<'background'>);

describe('a run', () => {
  test('goes on with the jobs that continue its first one', async () => {
    await call(app, 'POST /jobs', { as: admin, body: { name: 'integrity-missing-files-refresh' } });
    const type = 'missing_file';
    const handle: JobHandler<typeof refreshReport> = async ({ itemId }, { after }) =>
      after ? undefined : (tx) => enqueueNext(tx, itemId, refreshReport, { type, after: admin.id });
    await drainLane(database, 'background', {
      'integrity.refreshReport': handle,
    } as HandlersByLane<'background'>);
    const { items } = await list();
    expect(items).toMatchObject([{ status: 'completed', total: 2, succeeded: 2 }]);
    expect((await listItems(items[0].id)).items).toMatchObject([
      { status: 'succeeded' },
      { status: 'succeeded' },
    ]);
  });

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
    expect([total, items.map(({ targetId }: { targetId: string }) => targetId).toSorted()]).toEqual(
      [2, ids.toSorted()],
    );
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
    const { id, assetIds } = await addRun(database, 2);
    await put('metadataExtraction', { command: 'pause' });
    expect((await list()).items).toMatchObject([{ status: 'paused' }]);
    await put('metadataExtraction', { command: 'resume' });
    await database.sql`update job set failures = 2 where payload ->> 'assetId' = ${assetIds[0]!}`;
    const seen: string[] = [];
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
    await addRun(database);
    await database.sql`update job set failures = 2`;
    await lane.drain(() => Promise.reject(new Error('no')));
    expect((await list()).items).toMatchObject([{ status: 'failed', failed: 1 }]);
  });

  test('ends when its queue is emptied, and when its jobs are cancelled', async () => {
    const { id } = await addRun(database, 2);
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
    const runs = Object.fromEntries((await list()).items.map((run: JobRun) => [run.id, run]));
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
    await updateSchedule(database.db, [cleanMemories], {});
    await database.sql`update schedule set next_at = now() where name = ${cleanMemories.name}`;
    await enqueueDueJobs(database.db, [cleanMemories], {});
    expect((await list()).items).toMatchObject([
      { name: 'memories.clean', trigger: 'schedule', requestedById: null, total: 1 },
    ]);
  });

  test('is deleted after 90 days', async () => {
    const old = await addRun(database);
    const { id } = await addRun(database);
    await database.sql`
      update job_run set created_at = '2025-10-01' where id = ${old.id}`;
    await handleCleanUpQueue(jobCtx(database), {});
    expect((await list()).items.map((run: { id: string }) => run.id)).toEqual([id]);
    const items = await database.sql`select 1 from job_run_item where run_id = ${old.id}`;
    expect(items).toHaveLength(0);
  });

  test('keeps its counts when they are folded', async () => {
    await addRun(database, 3);
    await lane.drain(async () => {});
    const [before] = (await list()).items;
    const effect = await handleCleanUpQueue(jobCtx(database), {});
    await database.db.transaction(async (tx) => void (await effect!(tx)));
    expect((await list()).items).toEqual([before]);
    expect(await database.sql`select 1 from job_run_count`).toHaveLength(1);
  });
});
