import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import {
  call,
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { withModels } from '../../../../test/support/models.ts';
import {
  addWorkflow,
  core,
  own,
  readLog,
  runWorkflows,
  tagAssets,
} from '../../../../test/support/workflows.ts';
import { skipWithout } from '../../../../test/support/requirements.ts';
import type { App } from '../../../app.ts';
import { closeInference } from '../../../inference/client.ts';
import { getInference, listSemanticModels, saveEmbeddings } from '../../../inference/index.ts';

const SENTENCE = 'a dog at the beach';

let database: TestDatabase;
let me: TestUser;
let photos: readonly [string, string, string];
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await closeInference();
  await database.close();
});
beforeEach(async () => {
  me = await seed(database).user();
  const add = () => seed(database).asset({ ownerId: me.id });
  photos = [await add(), await add(), await add()];
  for (const photo of photos) {
    await database.sql`
      insert into asset_analysis (asset_id, task, model_id) values (${photo}, 'embedding', 'm')`;
  }
});

const steps = (config: object = {}) => [
  own('likenessFilter', { sentence: SENTENCE, ...config }),
  core('assetFavorite'),
];

async function listFavorites(app: App): Promise<string[]> {
  const { body } = await call(app, 'POST /search/metadata', {
    as: me,
    body: { isFavorite: true },
  });
  return body.assets.items.map(({ id }: { id: string }) => id);
}

skipWithout('models').describe('a sentence', () => {
  let app: App;
  let home: TestDatabase;
  beforeAll(() => {
    const settings = withModels(database.deps.settings.dataDir);
    home = { ...database, deps: { ...database.deps, settings } };
    app = testApp(home);
  });

  /** The first photo is what the sentence says, the second halfway, the third has no embedding. */
  async function embed(): Promise<void> {
    const [model] = listSemanticModels(home.deps.settings);
    const { modelId } = model!;
    const vector = await getInference(home.deps).embedQuery(SENTENCE, { modelId });
    const at = vector.findIndex((value) => Math.abs(value) < 0.1);
    const aside = Float32Array.from(vector, (_, index) => (index === at ? 1 : 0));
    const half = vector.map((value, index) => (value + aside[index]! * Math.sqrt(3)) / 2);
    await saveEmbeddings(database.db, modelId, [
      { kind: 'asset', subjectId: photos[0], vector },
      { kind: 'asset', subjectId: photos[1], vector: half },
    ]);
  }

  test('lets pass what looks like it, as far as the model usually tells', async () => {
    await embed();
    const id = await addWorkflow(app, me, steps());
    await tagAssets(app, me, photos);
    await runWorkflows(home);
    expect(await listFavorites(app)).toEqual([photos[0]]);
    const results = (await readLog(app, me, id)).map(({ result }) => String(result));
    expect(results.toSorted()).toEqual(['completed', 'halted', 'halted']);
  });

  test('lets pass less like pictures where that is wanted, and shows them before', async () => {
    await embed();
    const body = { steps: steps({ minSimilarity: 0.4 }) };
    const preview = await call(app, 'POST /workflows/preview', { as: me, body });
    expect(preview.body).toMatchObject({ total: 3, matched: 2, waiting: 0 });
    await addWorkflow(app, me, body.steps);
    await tagAssets(app, me, photos);
    await runWorkflows(home);
    expect((await listFavorites(app)).toSorted()).toEqual([photos[0], photos[1]].toSorted());
  });

  test('waits for the recognition of the picture', async () => {
    await database.sql`delete from asset_analysis where asset_id = ${photos[0]}`;
    const id = await addWorkflow(app, me, steps());
    await tagAssets(app, me, [photos[0]]);
    await runWorkflows(home);
    expect(await readLog(app, me, id)).toEqual([]);
    const [run] = await database.sql`
      select waits_for from workflow_run where workflow_id = ${id}`;
    expect(run!['waits_for']).toBe('embedding');
  });
});

describe('without models', () => {
  test('the step says so, for pictures that were recognised before too', async () => {
    const app = testApp(database);
    await database.sql`delete from asset_analysis where asset_id = ${photos[0]}`;
    const id = await addWorkflow(app, me, steps());
    await tagAssets(app, me, photos);
    await runWorkflows(database);
    const log = await readLog(app, me, id);
    expect(new Set(log.map(({ result }) => result))).toEqual(new Set(['error']));
    expect(log.map(({ error }) => String(error)).toSorted()).toEqual([
      'The models that read the sentence do not work',
      'The models that read the sentence do not work',
      'The models that this step needs are not installed',
    ]);
    expect(log[0]!.lastStep).toEqual({ index: 0, method: 'safelight#likenessFilter' });
    expect(await listFavorites(app)).toEqual([]);
  });

  test('a preview says so', async () => {
    const app = testApp(database);
    const { status, body } = await call(app, 'POST /workflows/preview', {
      as: me,
      body: { steps: steps() },
    });
    expect([status, body.message]).toEqual([400, 'The models that read the sentence do not work']);
  });
});
