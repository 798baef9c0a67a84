import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  call,
  type Caller,
  NOW,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { withModels } from '../../../../test/support/models.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import {
  getCapabilities,
  STORED_TASKS,
  saveEmbeddings,
  getVectorIndex,
} from '../../../inference/index.ts';

describe('with a model', () => {
  let database: TestDatabase;
  let app: App;
  const MODEL = 'tiny';
  const DIMENSION = 8;
  /** The further from 0, the less it looks like the one at 0. */
  const lookAt = (angle: number) => {
    const vector = new Float32Array(DIMENSION);
    vector[0] = Math.cos(angle);
    vector[1] = Math.sin(angle);
    return vector;
  };
  /** A model that the owner has put there: what is asked of it needs no answer here. */
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
    const folder = join(database.deps.paths.root, 'models', 'clip', MODEL);
    for (const part of ['visual', 'textual']) {
      await mkdir(join(folder, part), { recursive: true });
      await Bun.write(join(folder, part, 'model.onnx'), 'x');
    }
    await Bun.write(join(folder, 'textual', 'tokenizer.json'), '{}');
    await Bun.write(join(folder, 'config.json'), JSON.stringify({ embed_dim: DIMENSION }));
  });
  afterAll(async () => {
    await getVectorIndex(database.deps).close();
    await database.close();
  });
  const smart = (body: object, caller: Caller) =>
    call(app, 'POST /search/smart', { ...caller, body: { visibility: 'timeline', ...body } });
  const found = async (body: object, as: TestUser): Promise<string[]> =>
    (await smart(body, { as })).body.assets.items.map((item: { id: string }) => item.id);

  async function library() {
    const me = await seed(database).user();
    const add = (values: object = {}, exif: object = {}) =>
      seed(database).asset({ ownerId: me.id, exif, ...values });
    const ids = [await add(), await add(), await add({}, { city: 'Oslo' }), await add()];
    const unseen = [
      await add({ trashedAt: NOW }),
      await add({ lockedAt: NOW }),
      await add({ visibility: 'archive' as const }),
      await seed(database).asset({ ownerId: (await seed(database).user()).id }),
    ];
    const rows = [...ids, ...unseen].map((subjectId, at) => ({
      kind: 'asset' as const,
      subjectId,
      // Invisible assets are the most similar.
      vector: lookAt(at < ids.length ? 0.3 * at : 0.01),
    }));
    await database.db.transaction((tx) => saveEmbeddings(tx, MODEL, rows));
    await getVectorIndex(database.deps).refresh(MODEL);
    return { me, ids: ids as [string, string, string, string], unseen };
  }

  test('similar assets are listed by similarity, visible ones only', async () => {
    const { me, ids } = await library();
    expect(await found({ queryAssetId: ids[0] }, me)).toEqual(ids);
    expect(await found({ queryAssetId: ids[3] }, me)).toEqual(ids.toReversed());
    expect(await found({ queryAssetId: ids[0], city: 'Oslo' }, me)).toEqual([ids[2]]);
    expect(await found({ queryAssetId: ids[0], city: 'Rome' }, me)).toEqual([]);
    // Many match and few are asked for: read from the top of all.
    const few = { queryAssetId: ids[0], type: 'IMAGE', size: 2 };
    expect(await found(few, me)).toEqual(ids.slice(0, 2));
    expect(await found({ ...few, page: 2 }, me)).toEqual(ids.slice(2));
    expect(await found({ queryAssetId: ids[0], visibility: 'archive' }, me)).toHaveLength(1);
  });

  test('facets, histogram and statistics count exactly what is listed', async () => {
    const { me, ids, unseen } = await library();
    const without = await seed(database).asset({ ownerId: me.id, exif: { city: 'Rome' } });
    const of = async (route: string, body: object, as = me) =>
      (await call(app, `POST /search/${route}`, { as, body })).body;
    for (const [filter, count] of [
      [{}, 4],
      [{ city: 'Oslo' }, 1],
      [{ city: 'Rome' }, 0],
      [{ visibility: 'archive' }, 1],
      [{ type: 'VIDEO' }, 0],
    ] as const) {
      const body = { ...filter, queryAssetId: ids[0] };
      expect(await found(body, me)).toHaveLength(count);
      for (const route of ['facets', 'histogram', 'statistics']) {
        expect([filter, (await of(route, body)).total]).toEqual([filter, count]);
      }
    }
    const { facets } = await of('facets', { queryAssetId: ids[0], facets: ['city'] });
    expect(facets[0].values).toEqual([
      { value: null, label: null, count: 3 },
      { value: 'Oslo', label: 'Oslo', count: 1 },
    ]);
    expect(await of('statistics', { queryAssetId: without })).toEqual({ total: 0 });
    const stranger = await seed(database).user();
    for (const id of [ids[0], unseen[1]!]) {
      for (const route of ['facets', 'histogram', 'statistics']) {
        const reply = await call(app, `POST /search/${route}`, {
          as: id === ids[0] ? stranger : me,
          body: { queryAssetId: id },
        });
        expect(reply).toMatchObject({
          status: 400,
          body: { message: 'Not found or no asset.read access' },
        });
      }
    }
  });

  test('pictures are filtered by the state of their analysis', async () => {
    const { me, ids } = await library();
    await database.sql`insert into asset_analysis (asset_id, task, model_id, failure)
      values (${ids[0]}, 'embedding', ${MODEL}, null), (${ids[1]}, 'embedding', ${MODEL}, 'broken'),
        (${ids[2]}, 'faces', 'gone', null)`;
    const listed = async (state: string) =>
      (await call(app, `POST /search/large-assets?imageEnrichment=${state}`, { as: me })).body.map(
        (item: { id: string }) => item.id,
      );
    expect(await listed('complete')).toEqual([ids[0]]);
    expect(await listed('failed')).toEqual([ids[1]]);
    expect(await listed('partial')).toEqual([]);
    expect((await listed('missing')).toSorted()).toEqual([ids[2], ids[3]].toSorted());
  });

  skipWithout('models').test(
    "LM-031: 'complete' are assets that every task with stored results has analyzed",
    async () => {
      const settings = withModels(database.deps.settings.dataDir);
      const tasks = STORED_TASKS.filter((task) => getCapabilities(settings)[task] !== undefined);
      expect(tasks).toContain('labels');
      const app = testApp({ ...database, deps: { ...database.deps, settings } });
      const { me, ids } = await library();
      for (const task of tasks) {
        await database.sql`insert into asset_analysis (asset_id, task, model_id)
        values (${ids[0]}, ${task}, 'm')`;
      }
      await database.sql`insert into asset_analysis (asset_id, task, model_id)
      values (${ids[1]}, ${tasks[0]!}, 'm')`;
      const listed = async (state: string) =>
        (
          await call(app, `POST /search/large-assets?imageEnrichment=${state}`, { as: me })
        ).body.map((item: { id: string }) => item.id);
      expect(await listed('complete')).toEqual([ids[0]]);
      expect(await listed('partial')).toEqual([ids[1]]);
    },
  );

  test('by pages', async () => {
    const { me, ids } = await library();
    const page = async (number: number, size: number) =>
      (await smart({ queryAssetId: ids[0], page: number, size }, { as: me })).body.assets;
    expect(await page(1, 3)).toMatchObject({ count: 3, nextPage: '2' });
    const last = await page(2, 3);
    expect(last).toMatchObject({ count: 1, nextPage: null });
    expect(last.items[0].id).toBe(ids[3]);
    expect(await page(3, 3)).toMatchObject({ items: [], nextPage: null });
  });

  test('an item trashed since is not listed, though it has a vector', async () => {
    const { me, ids } = await library();
    await database.sql`update asset set trashed_at = now() where id = ${ids[1]}`;
    expect(await found({ queryAssetId: ids[0] }, me)).toEqual([ids[0], ids[2], ids[3]]);
  });
});
