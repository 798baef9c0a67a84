import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import {
  addFailingWorkflow,
  addWorkflow,
  core,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import type { Asset } from '../../assets/schemas.ts';
import { handleAdvanceRuns, handleSweepRuns } from './run.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
});

const getAsset = async (id = photo): Promise<Asset> =>
  (await call(app, `GET /assets/${id}`, { as: me })).body;
const tagAndRun = async (assetIds = [photo]): Promise<void> => {
  await tagAssets(app, me, assetIds);
  await runWorkflows(database);
};

describe('a run', () => {
  test('does its actions in order, up to the filter that does not match', async () => {
    const id = await addWorkflow(app, me, [
      core('assetFavorite'),
      core('assetFileFilter', { pattern: 'screenshot' }),
      core('assetArchive'),
    ]);
    await tagAndRun();
    expect(await getAsset()).toMatchObject({ isFavorite: true, visibility: 'timeline' });
    expect(await readLog(app, me, id)).toMatchObject([
      { result: 'halted', lastStep: { index: 1, method: 'immich-plugin-core#assetFileFilter' } },
    ]);
  });

  test('skips disabled steps; an empty workflow completes', async () => {
    const id = await addWorkflow(app, me, [core('assetFavorite', {}, false)]);
    await tagAndRun();
    expect((await getAsset()).isFavorite).toBe(false);
    expect(await readLog(app, me, id)).toMatchObject([{ result: 'completed' }]);
  });

  test('starts for own items and enabled workflows of the trigger only', async () => {
    const stranger = await seed(database).user();
    const theirs = await addWorkflow(app, stranger, [core('assetFavorite')]);
    const disabled = await addWorkflow(app, me, [core('assetFavorite')], { enabled: false });
    const other = await addWorkflow(app, me, [core('assetFavorite')], { trigger: 'AssetCreate' });
    await tagAndRun();
    expect((await getAsset()).isFavorite).toBe(false);
    for (const [as, id] of [
      [stranger, theirs],
      [me, disabled],
      [me, other],
    ] as const) {
      expect(await readLog(app, as, id)).toEqual([]);
    }
  });

  test('never happens for an item that is locked, hidden or in the trash, and says nothing', async () => {
    const add = (values: object) => seed(database).asset({ ownerId: me.id, ...values });
    const hidden = await Promise.all([
      add({ lockedAt: new Date() }),
      add({ trashedAt: new Date() }),
      add({ visibility: 'hidden' }),
    ]);
    const id = await addWorkflow(app, me, [core('assetFavorite')]);
    const tag = await tagAssets(app, me, []);
    for (const assetId of hidden) {
      await database.sql`insert into tag_asset values (${tag}, ${assetId})`;
      await database.sql`
        insert into workflow_event (asset_id, trigger, depth) values (${assetId}, 'AssetTagged', 0)`;
      await handleAdvanceRuns(jobCtx(database), { assetId });
    }
    expect(await readLog(app, me, id)).toEqual([]);
    expect(await database.sql`select from workflow_run where workflow_id = ${id}`).toHaveLength(0);
    const rows = await database.sql`select is_favorite from asset where id = any(${hidden})`;
    expect(rows.map((row) => row['is_favorite'])).toEqual([false, false, false]);
  });

  test('that fails keeps what its steps before did, and goes on at the failed step', async () => {
    const id = await addFailingWorkflow(app, me, [core('assetFavorite')]);
    await tagAssets(app, me, [photo]);
    const attempt = (isLastAttempt: boolean) =>
      handleAdvanceRuns(jobCtx(database, { isLastAttempt }), { assetId: photo });
    await expect(attempt(false)).rejects.toThrow('Not found or no albumAsset.create access');
    expect((await getAsset()).isFavorite).toBe(true);
    expect(await readLog(app, me, id)).toEqual([]);
    await database.sql`update asset set is_favorite = false where id = ${photo}`;
    await attempt(true);
    expect((await getAsset()).isFavorite).toBe(false);
    expect(await readLog(app, me, id)).toMatchObject([{ result: 'error', lastStep: { index: 1 } }]);
  });

  test('does not hold up the runs after it', async () => {
    await addFailingWorkflow(app, me);
    await addWorkflow(app, me, [core('assetFavorite')]);
    await tagAssets(app, me, [photo]);
    const ctx = jobCtx(database, { isLastAttempt: false });
    await expect(handleAdvanceRuns(ctx, { assetId: photo })).rejects.toThrow('access');
    expect((await getAsset()).isFavorite).toBe(true);
  });

  test('ends without effect when its workflow was deleted or disabled meanwhile', async () => {
    const id = await addWorkflow(app, me, [core('assetFavorite')]);
    const gone = await addWorkflow(app, me, [core('assetArchive')]);
    await tagAssets(app, me, [photo]);
    await call(app, `PUT /workflows/${id}`, { as: me, body: { enabled: false } });
    await call(app, `DELETE /workflows/${gone}`, { as: me });
    await runWorkflows(database);
    expect(await getAsset()).toMatchObject({ isFavorite: false, visibility: 'timeline' });
  });
});

describe('events', () => {
  test('of one item start their runs in order', async () => {
    const first = await addWorkflow(app, me, [core('assetFavorite')], { trigger: 'AssetCreate' });
    const second = await addWorkflow(app, me, [core('assetFavorite', { inverse: true })]);
    await database.sql`
      insert into workflow_event (asset_id, trigger, depth) values
        (${photo}, 'AssetCreate', 0), (${photo}, 'AssetTagged', 0)`;
    await handleAdvanceRuns(jobCtx(database), { assetId: photo });
    expect((await getAsset()).isFavorite).toBe(false);
    const [one] = await readLog(app, me, first);
    const [two] = await readLog(app, me, second);
    expect(one!.id < two!.id).toBe(true);
  });

  test('happen for tags that an item did not have', async () => {
    const id = await addWorkflow(app, me, []);
    const tag = await tagAssets(app, me, [photo]);
    await runWorkflows(database);
    await call(app, `PUT /tags/${tag}/assets`, { as: me, body: { ids: [photo] } });
    await call(app, 'PUT /tags/assets', { as: me, body: { tagIds: [tag], assetIds: [photo] } });
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toHaveLength(1);
  });

  test('that workflows cause for each other end after three levels', async () => {
    const tags = [];
    for (let level = 0; level < 5; level++) tags.push(await tagAssets(app, me, []));
    // Each gives the next tag to what has the one before. The last comes first: none meets the tag that
    // it waits for in the run of the same event.
    const ids: string[] = [];
    for (const [level, tag] of tags.entries().toArray().toReversed()) {
      const add = core('assetAddTags', { tags: [tag] });
      const filter = core('assetTagFilter', { tags: [tags[level - 1]], matching: 'all' });
      ids.push(await addWorkflow(app, me, level === 0 ? [add] : [filter, add]));
    }
    const other = await seed(database).asset({ ownerId: me.id });
    await tagAndRun([other]);
    const ends = (await Promise.all(ids.map((id) => readLog(app, me, id)))).flat();
    expect(ends.some(({ error }) => error?.startsWith('Stopped: 3 workflows'))).toBe(true);
    const [{ depth }] = await database.sql<[{ depth: number }]>`
      select max(depth)::int as depth from workflow_run where asset_id = ${other}`;
    expect(depth).toBe(3);
  });
});

describe('the sweep', () => {
  test('deletes what ended 30 days ago and enqueues what has not ended', async () => {
    const id = await addWorkflow(app, me, [core('assetFavorite')]);
    await tagAndRun();
    const add = async (result: string | null, finishedAt: string | null) => {
      const run = Bun.randomUUIDv7();
      await database.sql`
        insert into workflow_run (id, run_id, attempt, workflow_id, asset_id, depth, result, is_logged,
          created_at, finished_at)
        values (${run}, ${run}, 1, ${id}, ${photo}, 0, ${result}, true, '2025-11-01', ${finishedAt})`;
    };
    await add('completed', '2025-12-01');
    await add(null, null);
    await handleSweepRuns(jobCtx(database), {});
    expect(await readLog(app, me, id)).toHaveLength(1);
    await runWorkflows(database);
    expect(await readLog(app, me, id)).toHaveLength(2);
    expect((await getAsset()).isFavorite).toBe(true);
  });
});
