import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';

let me: TestUser;
/** A clock that goes on by a second with every look. */
let seconds = 0;
const { database, app } = await useApp({ now: () => new Date(NOW.getTime() + ++seconds * 1000) });
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (values: object = {}) => seed(database).asset({ ownerId: me.id, ...values });

async function trashBy(tool: string, assetIds: readonly string[]) {
  const action = 'trash';
  const { body } = await call(app, 'POST /trash/review', {
    as: me,
    body: { action, assetIds, tool },
  });
  return call(app, 'POST /trash/apply', {
    as: me,
    body: { action, assetIds, tool, token: body.token },
  });
}
const activity = async (tool: string, who: Caller = { as: me }) =>
  (await call(app, `GET /trash/activity?tool=${tool}`, who)).body.items;
const restore = (ids: readonly string[]) =>
  call(app, 'POST /trash/restore/assets', { as: me, body: { ids } });

test('a trash and a restore by a utility are both recorded', async () => {
  const ids = [await add({ fileSize: 5, fileName: 'b' }), await add({ fileSize: 6 })];
  const done = await trashBy('large-files', ids);
  expect(done).toMatchObject({ status: 200, body: { count: 2 } });
  const [move] = await activity('large-files');
  expect(move).toMatchObject({
    id: done.body.activityId,
    tool: 'large-files',
    action: 'trashed',
    count: 2,
    sizeInBytes: 11,
    canUndo: true,
    assets: [
      { id: ids[0], originalFileName: 'b', isTrashed: true },
      { id: ids[1], originalFileName: 'a.jpg', isTrashed: true },
    ],
  });
  expect(await activity('duplicates')).toEqual([]);

  const undone = await restore([ids[1]!]);
  expect(undone.body).toEqual({ count: 1, activityId: expect.any(String) });
  const [undo, before] = await activity('large-files');
  expect(undo).toMatchObject({
    id: undone.body.activityId,
    action: 'undone',
    count: 1,
    sizeInBytes: 6,
    canUndo: false,
    assets: [{ id: ids[1], isTrashed: false }],
  });
  expect(before).toMatchObject({ id: move.id, canUndo: true });
  await restore(ids);
  expect((await activity('large-files')).map((item: { canUndo: boolean }) => item.canUndo)).toEqual(
    [false, false, false],
  );
});

test('a reviewed restore is recorded as an undo, a restore of items trashed by hand is not', async () => {
  const [byTool, byHand] = [await add(), await add()];
  await trashBy('duplicates', [byTool]);
  await call(app, 'DELETE /assets', { as: me, body: { ids: [byHand] } });
  expect((await restore([byHand])).body).toEqual({ count: 1 });
  const request = { action: 'restore', assetIds: [byTool] };
  const { body } = await call(app, 'POST /trash/review', { as: me, body: request });
  const applied = await call(app, 'POST /trash/apply', {
    as: me,
    body: { ...request, token: body.token },
  });
  expect(applied.body).toEqual({ count: 1, activityId: expect.any(String) });
  // Trashed again by hand: the utility has nothing to do with that.
  await call(app, 'DELETE /assets', { as: me, body: { ids: [byTool] } });
  expect((await activity('duplicates')).map((item: { canUndo: boolean }) => item.canUndo)).toEqual([
    false,
    false,
  ]);
  expect((await restore([byTool])).body).toEqual({ count: 1 });
  expect(await activity('duplicates')).toHaveLength(2);
});

test('records only the items that were trashed, and nothing if there were none', async () => {
  const [before, id] = [await add({ trashedAt: NOW }), await add()];
  const done = await trashBy('similar', [before, id]);
  expect(done.body.count).toBe(1);
  const [move] = await activity('similar');
  expect(move).toMatchObject({ count: 1, assets: [{ id }] });
  const again = await trashBy('similar', [before, id]);
  expect(again.body).toEqual({ count: 0 });
  expect(await activity('similar')).toHaveLength(1);
});

test('LM-035: activity is kept for a year', async () => {
  const id = await add({ trashedAt: NOW });
  for (const days of [364, 367]) {
    await database.sql`
      with made as (
        insert into utility_activity (user_id, tool, action, asset_count, bytes, created_at)
        values (${me.id}, 'videos', 'trashed', 1, ${days},
          ${NOW.toISOString()}::timestamptz - ${days}::int * interval '1 day')
        returning id)
      insert into utility_activity_asset select id, ${id}, 1 from made`;
  }
  const found = await activity('videos');
  expect(found.map((item: { sizeInBytes: number }) => item.sizeInBytes)).toEqual([364]);
});

test('VS-008: a locked item is counted but named in an unlocked session only', async () => {
  const ids = [await add(), await add(), await add()];
  await trashBy('screenshots', ids);
  await call(app, 'POST /assets/lock', { as: me, body: { ids: [ids[1]] } });
  const [move] = await activity('screenshots', { session: me });
  expect(move.count).toBe(3);
  expect(move.assets.map((asset: { id: string }) => asset.id)).toEqual([ids[0], ids[2]]);
  await unlock(database, me);
  const [seen] = await activity('screenshots', { session: me });
  expect(seen.assets.map((asset: { id: string }) => asset.id)).toEqual(ids);
});

test("lists the caller's latest 200 entries, newest first, and requires the permission", async () => {
  await database.sql`
    insert into utility_activity (user_id, tool, action, asset_count, bytes, created_at)
    select ${me.id}, 'documents', 'trashed', 1, n,
      ${NOW.toISOString()}::timestamptz - n * interval '1 hour' from generate_series(1, 205) n`;
  const found = await activity('documents');
  expect(found.map((item: { sizeInBytes: number }) => item.sizeInBytes)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  const other = await seed(database).user();
  expect(await activity('documents', { as: other })).toEqual([]);
  const weak = await seed(database).user(['asset.delete']);
  const path = 'GET /trash/activity?tool=documents' as const;
  expect((await call(app, path, { as: weak })).status).toBe(403);
  expect((await call(app, path)).status).toBe(401);
  expect((await call(app, `${path}&slug=x`)).status).toBe(401);
  expect((await call(app, 'GET /trash/activity', { as: me })).status).toBe(400);
});

test('limits the number of items in a response but always includes the latest entry', async () => {
  for (const [count, hours] of [
    [90_000, 3],
    [20_000, 2],
    [200_000, 1],
  ]) {
    await database.sql`
      insert into utility_activity (user_id, tool, action, asset_count, bytes, created_at)
      values (${me.id}, 'videos', 'trashed', ${count!}, 1,
        ${NOW.toISOString()}::timestamptz - ${hours!}::int * interval '1 hour')`;
  }
  expect((await activity('videos')).map((item: { count: number }) => item.count)).toEqual([
    200_000,
  ]);
  await database.sql`delete from utility_activity where asset_count = 200000`;
  expect((await activity('videos')).map((item: { count: number }) => item.count)).toEqual([20_000]);
});
