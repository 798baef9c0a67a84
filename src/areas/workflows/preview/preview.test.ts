import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';
import { core, own } from '../../../../test/support/workflows.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (over: object = {}) => seed(database).asset({ ownerId: me.id, ...over });
const preview = (steps: readonly object[], caller: Caller = { as: me }, items?: number) =>
  call(app, 'POST /workflows/preview', { ...caller, body: { steps, items } });
const NOTHING = { isComplete: true, affected: 0, waiting: 0, irreversibleSteps: [] };

describe('a preview', () => {
  test('tells what the filters let pass, newest first, and does nothing', async () => {
    const old = await add({ fileName: 'shot.png', takenAt: new Date('2020-01-01') });
    const archived = await add({
      fileName: 'shot.png',
      takenAt: new Date('2021-01-01'),
      visibility: 'archive',
    });
    await add({ fileName: 'other.png' });
    const { status, body } = await preview([
      core('assetFileFilter', { pattern: 'shot' }),
      core('assetFavorite'),
    ]);
    expect([status, body]).toEqual([
      200,
      { ...NOTHING, total: 3, matched: 2, affected: 2, assetIds: [archived, old] },
    ]);
    const { body: asset } = await call(app, `GET /assets/${old}`, { as: me });
    expect(asset.isFavorite).toBe(false);
  });

  test('is not about items of others, nor locked, hidden or trashed ones', async () => {
    const stranger = await seed(database).user();
    await seed(database).asset({ ownerId: stranger.id });
    await add({ lockedAt: new Date() });
    await add({ trashedAt: new Date() });
    await add({ visibility: 'hidden' });
    expect((await preview([])).body).toEqual({
      ...NOTHING,
      total: 0,
      matched: 0,
      assetIds: [],
    });
  });

  test('counts what recognition has not seen as waiting', async () => {
    const [seen, unseen] = [await add(), await add()];
    await database.sql`
      insert into asset_analysis (asset_id, task, model_id) values (${seen}, 'text', 'm')`;
    const steps = [{ method: 'safelight#documentFilter', config: { inverse: true } }];
    const { body } = await preview(steps);
    expect(body).toEqual({ ...NOTHING, total: 2, matched: 1, waiting: 1, assetIds: [seen] });
    expect(body.assetIds).not.toContain(unseen);
  });

  test('looks at the newest thousand, tells that there are more, and lists fifty', async () => {
    await addManyAssets(database, me.id, 1_005);
    const look = async (items?: number) => {
      const { body } = await preview([core('assetFavorite')], { as: me }, items);
      return [body.total, body.isComplete, body.matched, body.affected, body.assetIds.length];
    };
    expect(await look()).toEqual([1000, false, 1000, 1000, 50]);
    expect(await look(1_004)).toEqual([1004, false, 1004, 1004, 50]);
    expect(await look(1_005)).toEqual([1005, true, 1005, 1005, 50]);
    expect(await look(10_000)).toEqual([1005, true, 1005, 1005, 50]);
    const { body } = await preview([], { as: me }, 10_000);
    expect(new Set(body.assetIds).size).toBe(50);
    expect((await preview([], { as: me }, 10_001)).status).toBe(400);
    expect((await preview([], { as: me }, 0)).status).toBe(400);
  });

  test('counts what reaches the first action, whatever the filters after it say', async () => {
    await add({ fileName: 'shot.png' });
    await add({ fileName: 'other.png' });
    const never = core('assetFileFilter', { pattern: 'never' });
    const shot = core('assetFileFilter', { pattern: 'shot' });
    const { body } = await preview([shot, core('assetFavorite'), never]);
    expect(body).toMatchObject({ total: 2, affected: 1, matched: 0 });
  });

  test('names the actions that an undo does not take back', async () => {
    const { body } = await preview([
      core('assetFavorite'),
      core('assetLock'),
      core('assetVisibility', { visibility: 'archive' }),
      core('assetVisibility', { visibility: 'locked' }),
      own('notify', { message: 'x' }),
      { ...own('mail', { message: 'x' }), enabled: false },
    ]);
    expect(body.irreversibleSteps).toEqual([1, 3, 4]);
  });

  test('refuses steps that cannot run, and keys without the permission', async () => {
    const { status, body } = await preview([core('nothing')]);
    expect([status, body.errors[0].path]).toEqual([400, ['steps', 0, 'method']]);
    const other = await seed(database).user(['workflow.create', 'workflow.read']);
    expect((await preview([], { as: other })).status).toBe(403);
    expect((await preview([], {})).status).toBe(401);
  });
});
