import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { made, writeClip } from '../../../../test/support/generated-models.ts';
import {
  call,
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import type { App } from '../../../app.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { closeInference } from '../../../inference/client.ts';
import {
  dot,
  getInference,
  getVectorIndex,
  normalize,
  saveEmbeddings,
} from '../../../inference/index.ts';
import { saveLabels } from '../labels/labels.store.ts';

const CLIP = 'made';
const DIMENSION = 64;
const OTHERS = 120;

let database: TestDatabase;
let app: App;
let me: TestUser;
let others: string[];
let lakes: string[];
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  await writeClip(getFolder(), { dimension: DIMENSION, side: 32 });
  // Adds nothing to the vector of a text, so that texts differ.
  await Bun.write(join(getFolder(), 'textual/tokenizer_config.json'), '{"pad_token": "a"}');
  me = await seed(database).user();
  const add = (over: object = {}) => seed(database).asset({ ownerId: me.id, ...over });
  others = [];
  for (let n = 0; n < OTHERS; n++) others.push(await add());
  lakes = [await add(), await add({ exif: { city: 'Oslo' } }), await add()];
  const nonsense = await embed('xqzzt');
  const share = dot(await embed('lake'), nonsense);
  const lake = (await embed('lake')).map((value, at) => value - share * nonsense[at]!);
  const rows = [
    ...others.map((subjectId, at) => ({ subjectId, vector: normalize(made(DIMENSION, at + 10)) })),
    ...lakes.map((subjectId, at) => ({
      subjectId,
      vector: normalize(
        lake.map((value, index) => value + made(DIMENSION, at)[index]! * 0.03 * at),
      ),
    })),
  ].map((row) => ({ kind: 'asset' as const, ...row }));
  await database.db.transaction((tx) => saveEmbeddings(tx, CLIP, rows));
  await saveLabels(database.db, others[0]!, 'objects', [{ label: 'dog', score: 0.9 }]);
  await indexTexts(database);
  await getVectorIndex(database.deps).refresh(CLIP);
});
afterAll(async () => {
  await closeInference();
  await getVectorIndex(database.deps).close();
  await database.close();
});

const embed = (text: string) => getInference(database.deps).embedQuery(text, { modelId: CLIP });
const getFolder = () => join(database.deps.paths.root, 'models', 'clip', CLIP);

const search = async (route: 'smart' | 'ask', query: string, over: object = {}) => {
  const body = { query, size: 1000, ...over };
  const reply = await call(app, `POST /search/${route}`, { as: me, body });
  expect(reply.status).toBe(200);
  return reply.body.assets.items.map(({ id }: { id: string }) => id) as string[];
};

describe('a model that nobody has measured', () => {
  test('finds what stands out of the library, nearest first, and nothing for nonsense', async () => {
    for (const route of ['smart', 'ask'] as const) {
      expect(await search(route, 'lake')).toEqual(lakes);
      expect(await search(route, 'xqzzt')).toEqual([]);
    }
    expect(await search('smart', 'lake', { city: 'Oslo' })).toEqual([lakes[1]!]);
    expect(await search('smart', 'xqzzt', { city: 'Oslo' })).toEqual([]);
  });

  test('lists everything by similarity when less certain results are asked for', async () => {
    expect(await search('ask', 'lake', { lessCertain: true })).toHaveLength(OTHERS + lakes.length);
    expect(await search('ask', 'xqzzt', { lessCertain: true })).toHaveLength(OTHERS + lakes.length);
  });

  test('finds what labels show, if they show all that is asked for', async () => {
    expect(await search('smart', 'dog')).toEqual([others[0]!]);
    expect(await search('smart', 'dog and zebra')).toEqual([]);
    expect(await search('smart', 'xqzzt dog')).toEqual([]);
  });

  test('has the threshold of the file beside it, once there is one', async () => {
    const file = Bun.file(join(getFolder(), 'calibration.json'));
    for (const [text, lake, nonsense] of [
      ['{"least": -1}', OTHERS + lakes.length, OTHERS + lakes.length],
      ['{"least": 2}', 0, 0],
      ['{"least": -1, "distance": 0.2}', lakes.length, undefined],
      ['{"least": "high"}', lakes.length, 0],
      ['no JSON', lakes.length, 0],
    ] as const) {
      await file.write(text);
      clearModelCache();
      expect([text, (await search('smart', 'lake')).length]).toEqual([text, lake]);
      if (nonsense === undefined) continue;
      expect([text, (await search('smart', 'xqzzt')).length]).toEqual([text, nonsense]);
    }
    await file.delete();
    clearModelCache();
  });

  test('pictures of other accounts neither are results nor change which ones are', async () => {
    const other = await seed(database).user();
    const id = await seed(database).asset({ ownerId: other.id });
    const vector = await embed('lake');
    await database.db.transaction((tx) =>
      saveEmbeddings(tx, CLIP, [{ kind: 'asset', subjectId: id, vector }]),
    );
    await getVectorIndex(database.deps).refresh(CLIP);
    expect(await search('smart', 'lake')).toEqual(lakes);
  });
});
