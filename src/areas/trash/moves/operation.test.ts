import { afterAll, beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { effort } from '../../../../test/support/effort.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { BATCH_SIZE } from '../../../operations/batches.store.ts';
import { limits, processNextBatch } from './operation.domain.ts';
import { handleMoveItems } from './operation.handlers.ts';
import { cleanOperations } from '../../../../test/support/operations.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  await database.sql`truncate job, operation cascade`;
  me = await seed(database).user();
});

const served = limits.immediateItems;
const MAX_IMMEDIATE_ITEMS = effort({ quick: 800, full: served });
const MANY = MAX_IMMEDIATE_ITEMS + 700;
limits.immediateItems = MAX_IMMEDIATE_ITEMS;
afterAll(() => {
  limits.immediateItems = served;
});

const counts = async () => {
  const [row] = await database.sql`
    select count(*) filter (where trashed_at is null)::int as kept,
      count(*) filter (where trashed_at is not null)::int as trashed
    from asset where owner_id = ${me.id}`;
  return { ...row };
};
const operations = async () => {
  const rows = await database.sql<{ id: string }[]>`select id from operation`;
  return rows.map((row) => row.id);
};
const finish = async () => {
  for (const operationId of await operations()) {
    await handleMoveItems(jobCtx(database), { operationId });
  }
};
const jobs = async () =>
  (await database.sql`select payload from job where name = 'trash.moveItems'`).map(
    (row) => row['payload'].operationId,
  );

test('requests up to a limit are applied at once, larger ones in the background, newest first', async () => {
  const ids = await addManyAssets(database, me.id, MANY);
  const few = ids.slice(-MAX_IMMEDIATE_ITEMS);
  await call(app, 'DELETE /assets', { as: me, body: { ids: few } });
  expect(await operations()).toEqual([]);
  expect(await counts()).toEqual({ kept: 700, trashed: MAX_IMMEDIATE_ITEMS });
  expect((await call(app, 'POST /trash/restore', { as: me })).body).toEqual({
    count: MAX_IMMEDIATE_ITEMS,
  });
  expect(await counts()).toEqual({ kept: MANY, trashed: 0 });

  expect((await call(app, 'DELETE /assets', { as: me, body: { ids } })).status).toBe(204);
  expect(await jobs()).toEqual(await operations());
  expect(await counts()).toEqual({ kept: MANY - BATCH_SIZE, trashed: BATCH_SIZE });
  const [row] = await database.sql`
    select count(*)::int as count from asset
    where id = any(${ids.slice(0, BATCH_SIZE)}) and trashed_at is not null`;
  expect(row!['count']).toBe(BATCH_SIZE);
  await finish();
  expect(await counts()).toEqual({ kept: 0, trashed: MANY });
  expect(await operations()).toEqual([]);

  const emptied = await call(app, 'POST /trash/empty', { as: me });
  expect(emptied.body).toEqual({ count: MANY });
  await finish();
  expect(await counts()).toEqual({ kept: 0, trashed: 0 });
  const [files] = await database.sql`select sum(items)::int as items from removed_file
    where owner_id = ${me.id}`;
  expect(files!['items']).toBe(MANY);
});

test('the set of a move is fixed on request: later changes of items win, later items are not moved', async () => {
  const ids = await addManyAssets(database, me.id, MANY, { trashedAt: NOW });
  const rest = async () => {
    const { body } = await call(app, 'GET /trash/items?size=1000', { as: me });
    return body.items.map((item: { id: string }) => item.id).sort();
  };
  expect((await call(app, 'POST /trash/empty', { as: me })).body.count).toBe(MANY);
  const waiting = await rest();
  const [restored, again, locked] = waiting as [string, string, string];
  await call(app, 'POST /trash/restore/assets', { as: me, body: { ids: [restored, again] } });
  await call(app, 'DELETE /assets', { as: me, body: { ids: [again] } });
  await call(app, 'POST /assets/lock', { as: me, body: { ids: [locked] } });
  const later = await seed(database).asset({ ownerId: me.id, trashedAt: NOW });
  await finish();
  expect(await rest()).toEqual([again, later].sort());
  const left = await database.sql<{ id: string }[]>`
    select id from asset where owner_id = ${me.id} order by id`;
  expect(left.map((row) => row.id)).toEqual([restored, again, locked, later].sort());
  expect(ids).toHaveLength(MANY);
});

test('a large reviewed set is applied in the background only if it is unchanged', async () => {
  const ids = await addManyAssets(database, me.id, MANY);
  const request = { action: 'trash', assetIds: ids, tool: 'videos' };
  const post = (path: string, body: object) =>
    call(app, `POST ${path}` as 'POST /', { as: me, body });
  const stale = (await post('/trash/review', request)).body;
  expect(stale.count).toBe(MANY);
  await database.sql`update asset set is_favorite = true where id = ${ids[5]!}`;
  const refused = await post('/trash/apply', { ...request, token: stale.token });
  expect(refused).toMatchObject({ status: 409, body: { code: 'review_changed' } });
  expect(await counts()).toEqual({ kept: MANY, trashed: 0 });
  expect([await operations(), await jobs()]).toEqual([[], []]);

  const { token } = (await post('/trash/review', request)).body;
  const applied = await post('/trash/apply', { ...request, token });
  expect(applied).toMatchObject({ status: 200, body: { count: MANY } });
  expect((await post('/trash/apply', { ...request, token })).status).toBe(409);
  await finish();
  expect(await counts()).toEqual({ kept: 0, trashed: MANY });
  const [move] = (await call(app, 'GET /trash/activity?tool=videos', { as: me })).body.items;
  expect(move).toMatchObject({ id: applied.body.activityId, count: MANY, canUndo: true });
  const undone = await post('/trash/restore/assets', { ids });
  expect(undone.body).toEqual({ count: MANY, activityId: expect.any(String) });
  await finish();
  expect(await counts()).toEqual({ kept: MANY, trashed: 0 });
});

test('concurrent workers move each item exactly once', async () => {
  await addManyAssets(database, me.id, MANY, { trashedAt: NOW });
  await call(app, 'POST /trash/restore', { as: me });
  const [operationId] = await operations();
  const before = async () => {
    const [row] = await database.sql`
      select max(state_revision)::int as most, sum(state_revision)::int as all
      from asset where owner_id = ${me.id}`;
    return { ...row };
  };
  // A transaction that does not end well is one that did not happen.
  const broken = database.db.transaction(async (tx) => {
    await processNextBatch({ ...database.deps, db: tx }, operationId!);
    throw new Error('the power went');
  });
  await expect(broken).rejects.toThrow('the power went');
  const stop = AbortSignal.abort(new Error('stopping'));
  const cut = handleMoveItems(jobCtx(database, { signal: stop }), { operationId: operationId! });
  await expect(cut).rejects.toThrow('stopping');
  await Promise.all([finish(), finish(), finish()]);
  expect(await counts()).toEqual({ kept: MANY, trashed: 0 });
  expect(await before()).toEqual({ most: 1, all: MANY });
  expect(await operations()).toEqual([]);
});

test('a move whose job was lost resumes', async () => {
  await addManyAssets(database, me.id, MANY, { trashedAt: new Date() });
  await call(app, 'POST /trash/restore', { as: me });
  const waiting = await jobs();
  await cleanOperations(database);
  expect(await jobs()).toEqual(waiting);
  await database.sql`delete from job`;
  await cleanOperations(database);
  expect(await jobs()).toEqual(waiting);
});
