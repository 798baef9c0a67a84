import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { made } from '../../../../test/support/generated-models.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { type ModelHub, startModelHub } from '../../../../test/support/model-hub.ts';
import { getProgram } from '../../../../test/support/program.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { clearModelCache, getCapabilities } from '../../../inference/capabilities.ts';
import { closeInference } from '../../../inference/client.ts';
import { dot, getInference, getVectorIndex, saveEmbeddings } from '../../../inference/index.ts';
import { CATALOGUE } from '../../../inference/models/catalogue.ts';
import { saveLabels } from '../labels/labels.store.ts';

// A model that sees more is installed by its command from a hub, looks at pictures, and is what the search asks, in
// whatever language. Its weights are made up: what it finds means nothing, but the same input finds the same.

const { database, app } = await useApp();
const MODEL = CATALOGUE.find(({ set }) => set === 'clip')!;
const CLIP = MODEL.id.replace('clip/', '');
const SIDE = 32;
/** Blocks of a colour along a side. */
const BLOCKS = 4;
/** Vectors are kept with fewer digits than they were computed with. */
const ROUNDING = 0.01;
const COUNT = 40;

let hub: ModelHub;
let me: TestUser;
const pictures: string[] = [];
let hidden: string[];

beforeAll(async () => {
  hub = await startModelHub(MODEL.hub!.repository);
  const models = join(database.deps.paths.root, 'models');
  const child = Bun.spawn([...getProgram(), 'models', 'pull', '--set', 'clip', '--to', models], {
    env: { ...process.env, HF_ENDPOINT: hub.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, error]).toEqual([0, expect.any(String)]);
  expect(out).toContain(`${MODEL.id}: complete in ${models}`);
  clearModelCache();
  me = await seed(database).user();
  for (let n = 0; n < COUNT; n++) pictures.push(await look(me.id, n));
  const other = await seed(database).user();
  hidden = [
    await look(other.id, 0),
    await look(me.id, 0, { lockedAt: NOW }),
    await look(me.id, 0, { trashedAt: NOW }),
  ];
  await getVectorIndex(database.deps).refresh(CLIP);
});
afterAll(async () => {
  await closeInference();
  await getVectorIndex(database.deps).close();
  await hub.stop();
});

/** Adds a picture of coloured blocks that the model has looked at. */
async function look(ownerId: string, n: number, over: object = {}): Promise<string> {
  const values = made(BLOCKS ** 2 * 3, n + 1);
  const data = Uint8Array.from({ length: SIDE * SIDE * 3 }, (_, at) => {
    const [channel, column, row] = [at % 3, Math.floor(at / 3) % SIDE, Math.floor(at / 3 / SIDE)];
    const toBlock = (pixel: number) => Math.floor((pixel * BLOCKS) / SIDE);
    const block = toBlock(row) * BLOCKS + toBlock(column);
    return 128 + 127 * values[block * 3 + channel]!;
  });
  const { results } = await getInference(database.deps).analyze(
    { width: SIDE, height: SIDE, data },
    ['embedding'],
  );
  const id = await seed(database).asset({ ownerId, fileName: 'x.jpg', ...over });
  const row = { kind: 'asset', subjectId: id, vector: results.embedding! } as const;
  await database.db.transaction((tx) => saveEmbeddings(tx, CLIP, [row]));
  vectors.set(id, results.embedding!);
  return id;
}
const vectors = new Map<string, Float32Array>();

const search = async (query: string, over: object = {}): Promise<string[]> => {
  const body = { query, size: 1000, ...over };
  const reply = await call(app, 'POST /search/smart', { as: me, body });
  expect(reply.status).toBe(200);
  return reply.body.assets.items.map(({ id }: { id: string }) => id);
};

/** Returns the cosines of pictures to a text, in their order. */
async function score(query: string, ids: readonly string[]): Promise<number[]> {
  const wanted = await getInference(database.deps).embedQuery(query, { modelId: CLIP });
  return ids.map((id) => dot(vectors.get(id)!, wanted));
}

async function expectNearestFirst(query: string, found: readonly string[]): Promise<void> {
  const scores = await score(query, found);
  for (const [at, value] of scores.slice(1).entries())
    expect(value).toBeLessThanOrEqual(scores[at]! + ROUNDING);
}

const calibrate = async (calibration: object) => {
  const file = join(database.deps.paths.root, 'models', MODEL.id, 'calibration.json');
  await Bun.write(file, JSON.stringify(calibration));
  clearModelCache();
};

test('the pulled model is what pictures and queries are embedded with', () => {
  expect(getCapabilities(database.deps.settings).embedding).toMatchObject({ modelId: CLIP });
});

test.each([
  ['a lake in the mountains', 'en'],
  ['ein See in den Bergen', 'de'],
  ['山の湖', 'ja'],
])('%p is asked as it was typed, and nearest comes first', async (query, language) => {
  await calibrate({ least: -1 });
  const found = await search(query, { language });
  expect(found.toSorted()).toEqual(pictures.toSorted());
  await expectNearestFirst(query, found);
});

test('a threshold of the file beside it limits what is found', async () => {
  await calibrate({ least: 2 });
  expect(await search('a lake in the mountains')).toEqual([]);
  const scores = (await score('a lake in the mountains', pictures)).toSorted((a, b) => b - a);
  await calibrate({ least: -1, distance: scores[0]! - (scores[4]! + scores[5]!) / 2 });
  const found = await search('a lake in the mountains');
  expect(found.length).toBeWithin(4, 7);
  await expectNearestFirst('a lake in the mountains', found);
});

test('what labels show comes in the order of the vectors', async () => {
  await calibrate({ least: 2 });
  const shown = pictures.slice(0, 8);
  for (const id of [...shown, ...hidden]) {
    await saveLabels(database.db, id, 'objects', [{ label: 'dog', score: 0.9 }]);
  }
  await indexTexts(database);
  for (const [query, language] of [
    ['dog', 'en'],
    ['Hund', 'de'],
  ] as const) {
    const found = await search(query, { language });
    expect(found.toSorted()).toEqual(shown.toSorted());
    await expectNearestFirst(query, found);
  }
});
