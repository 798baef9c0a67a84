import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  addWorkflow,
  core,
  createBackfillRunner,
  readLog,
} from '../../../../test/support/workflows.ts';
import { handleContinueBackfill } from './backfill.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  await database.sql`delete from job`;
  me = await seed(database).user();
});

const FAVORITES = [core('assetFileFilter', { pattern: 'IMG' }), core('assetFavorite')];
const addPhotos = async (count: number, fileName = 'IMG.jpg') => {
  const ids: string[] = [];
  while (ids.length < count) ids.push(await seed(database).asset({ ownerId: me.id, fileName }));
  return ids;
};
const path = (id: string, backfillId = ''): `/${string}` =>
  `/workflows/${id}/backfills${backfillId && `/${backfillId}`}`;
const start = (id: string, as = me) => call(app, `POST ${path(id)}`, { as });
const change = (id: string, backfillId: string, status: string, as = me) =>
  call(app, `PUT ${path(id, backfillId)}`, { as, body: { status } });
const readLatest = async (id: string) => (await call(app, `GET ${path(id)}`, { as: me })).body[0];
const isFavorite = async (ids: readonly string[]) => {
  const rows = await database.sql<{ id: string }[]>`
    select id from asset where is_favorite and id = any(${ids as string[]})`;
  return ids.map((id) => rows.some((row) => row.id === id));
};

const { runJob, runAll } = createBackfillRunner(database);

describe('a backfill', () => {
  test('runs the workflow for the items that match, and counts them', async () => {
    const matching = await addPhotos(3);
    const others = await addPhotos(2, 'scan.jpg');
    const id = await addWorkflow(app, me, FAVORITES);
    const { status, body } = await start(id);
    expect(status).toBe(201);
    expect(body).toMatchObject({ workflowId: id, status: 'running', total: 5, evaluated: 0 });
    await runAll();
    expect(await isFavorite([...matching, ...others])).toEqual([true, true, true, false, false]);
    expect(await readLatest(id)).toMatchObject({
      status: 'completed',
      evaluated: 5,
      matched: 3,
      processed: 3,
      waiting: 0,
      error: null,
      finishedAt: expect.any(String),
    });
    expect(await readLog(app, me, id)).toHaveLength(3);
  });

  test("leaves alone what the owner does not see, and what is others'", async () => {
    const stranger = await seed(database).user();
    const add = (values: object) =>
      seed(database).asset({ ownerId: me.id, fileName: 'IMG', ...values });
    const ids = await Promise.all([
      add({ lockedAt: new Date() }),
      add({ trashedAt: new Date() }),
      add({ visibility: 'hidden' }),
      add({ ownerId: stranger.id }),
    ]);
    const archived = await add({ visibility: 'archive' });
    const id = await addWorkflow(app, me, FAVORITES);
    expect((await start(id)).body.total).toBe(1);
    await runAll();
    expect(await isFavorite([...ids, archived])).toEqual([false, false, false, false, true]);
  });

  test('goes through the library page by page', async () => {
    await addManyAssets(database, me.id, 1_101, { fileName: 'IMG.jpg' });
    const id = await addWorkflow(app, me, FAVORITES);
    await start(id);
    const evaluated = [];
    for (;;) {
      if (!(await runJob('backfill'))) break;
      evaluated.push((await readLatest(id)).evaluated);
    }
    expect(evaluated).toEqual([500, 1000, 1101]);
    expect((await readLatest(id)).matched).toBe(1101);
    const items = await database.sql`
      select distinct asset_id from workflow_run where workflow_id = ${id}`;
    expect(items).toHaveLength(1101);
  });

  test('is paused, resumed and cancelled', async () => {
    const ids = await addPhotos(2);
    const id = await addWorkflow(app, me, FAVORITES);
    const { body } = await start(id);
    expect((await change(id, body.id, 'paused')).body.status).toBe('paused');
    await runAll();
    expect(await readLatest(id)).toMatchObject({ status: 'paused', evaluated: 0 });
    expect((await start(id)).status).toBe(409);
    expect((await change(id, body.id, 'running')).body.status).toBe('running');
    expect((await change(id, body.id, 'cancelled')).body).toMatchObject({
      status: 'cancelled',
      finishedAt: expect.any(String),
    });
    await runAll();
    expect(await isFavorite(ids)).toEqual([false, false]);
    expect((await change(id, body.id, 'running')).status).toBe(409);
    expect((await start(id)).status).toBe(201);
    await runAll();
    expect(await isFavorite(ids)).toEqual([true, true]);
  });

  test('that is paused while a page is evaluated does nothing with it', async () => {
    const ids = await addPhotos(2);
    const id = await addWorkflow(app, me, FAVORITES);
    const { body } = await start(id);
    const effect = await handleContinueBackfill(jobCtx(database), { runId: body.id });
    await change(id, body.id, 'paused');
    await database.db.transaction(async (tx) => void (await effect?.(tx)));
    expect(await readLatest(id)).toMatchObject({ status: 'paused', evaluated: 0, matched: 0 });
    await change(id, body.id, 'running');
    await runAll();
    expect(await isFavorite(ids)).toEqual([true, true]);
  });

  test('ends when its workflow is disabled, or its queue is emptied', async () => {
    await addPhotos(1);
    const id = await addWorkflow(app, me, FAVORITES);
    await start(id);
    await call(app, `PUT /workflows/${id}`, { as: me, body: { enabled: false } });
    await runAll();
    expect(await readLatest(id)).toMatchObject({
      status: 'failed',
      error: 'The workflow was disabled',
    });
    await call(app, `PUT /workflows/${id}`, { as: me, body: { enabled: true } });
    await start(id);
    const admin = await seed(database).user(['all'], { isAdmin: true });
    await call(app, 'PUT /jobs/workflow', { as: admin, body: { command: 'empty' } });
    expect((await readLatest(id)).status).toBe('cancelled');
  });

  test('of a workflow that is deleted leaves an ended job run', async () => {
    const id = await addWorkflow(app, me, FAVORITES);
    const { body } = await start(id);
    await call(app, `DELETE /workflows/${id}`, { as: me });
    await runAll();
    const [run] =
      await database.sql`select counted_at, cancelled_at from job_run where id = ${body.id}`;
    expect(run).toEqual({ counted_at: expect.any(String), cancelled_at: expect.any(String) });
  });

  test('starts for workflows that can run only', async () => {
    const disabled = await addWorkflow(app, me, FAVORITES, { enabled: false });
    expect(await start(disabled)).toMatchObject({
      status: 400,
      body: { message: 'The workflow is disabled' },
    });
    const { body: ann } = await call(app, 'POST /people', { as: me, body: { name: 'Ann' } });
    const person = core('filterPerson', { personIds: [ann.id] });
    const recognising = await addWorkflow(app, me, [person, core('assetFavorite')]);
    expect(await start(recognising)).toMatchObject({
      status: 400,
      body: { message: 'The models that a step needs are not installed' },
    });
    expect((await call(app, `GET ${path(disabled)}`, { as: me })).body).toEqual([]);
  });

  test('belongs to the owner of the workflow', async () => {
    const stranger = await seed(database).user(['all'], { isAdmin: true });
    const id = await addWorkflow(app, me, FAVORITES);
    const { body } = await start(id);
    expect((await call(app, `GET ${path(id)}`, { as: stranger })).status).toBe(400);
    expect((await start(id, stranger)).status).toBe(400);
    expect((await change(id, body.id, 'cancelled', stranger)).status).toBe(400);
    const other = await addWorkflow(app, stranger, FAVORITES);
    expect((await change(other, body.id, 'cancelled', stranger)).status).toBe(404);
    expect((await change(id, body.id, 'gone')).status).toBe(400);
    expect((await readLatest(id)).status).toBe('running');
  });
});
