import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeClip, writeConse } from '../../../../test/support/generated-models.ts';
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
import { partners } from '../../../db/tables/identity.ts';
import { clearModelCache } from '../../../inference/capabilities.ts';
import { closeInference } from '../../../inference/client.ts';
import { getInference, saveEmbeddings, getVectorIndex } from '../../../inference/index.ts';
import { saveSearchChoice, type SearchChoice } from '../../../inference/models/search-choice.ts';
import { saveTextPart } from '../match/text-index.store.ts';

const CLIP = 'made';
const CONSE = 'conse-1';
const DIMENSION = 16;

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  const models = join(database.deps.paths.root, 'models');
  await writeClip(join(models, 'clip', CLIP), { dimension: DIMENSION, side: 32 });
  await writeConse(models, DIMENSION);
});
afterAll(async () => {
  await closeInference();
  await getVectorIndex(database.deps).close();
  await database.close();
});

/** The n-th nearest of `count` to a text: only what is asked for is exactly there. */
async function near(modelId: string, text: string, ids: readonly string[]): Promise<void> {
  const wanted = await getInference(database.deps).embedQuery(text, { modelId });
  const rows = ids.map((subjectId, at) => {
    const vector = wanted.map((value, index) => value + (index % 2 ? 0.02 : -0.01) * at);
    const length = Math.hypot(...vector);
    return { kind: 'asset' as const, subjectId, vector: vector.map((value) => value / length) };
  });
  await database.db.transaction((tx) => saveEmbeddings(tx, modelId, rows));
  await getVectorIndex(database.deps).refresh(modelId);
}

const smart = async (body: object, as: TestUser) => {
  const reply = await call(app, 'POST /search/smart', { as, body });
  expect(reply.status).toBe(200);
  return reply.body.assets;
};
const found = async (query: string, as: TestUser, over: object = {}): Promise<string[]> =>
  (await smart({ query, ...over }, as)).items.map((item: { id: string }) => item.id);

describe('words and embeddings are combined', () => {
  let me: TestUser;
  let other: TestUser;
  let plain: string[];
  let lake: string;
  let bill: string;
  let numbered: string;
  let theirs: string;
  const TEXTS = ['Stadtwerke', 'invoice Stadtwerke', 'IMG_3589', 'grandma at the lake', 'sunset'];
  const FILLED = 30;
  beforeAll(async () => {
    [me, other] = [await seed(database).user(), await seed(database).user()];
    const add = (exif: object = {}, over: object = {}) =>
      seed(database).asset({ ownerId: me.id, exif, fileName: 'x.jpg', ...over });
    plain = [];
    for (let n = 0; n < FILLED; n++) plain.push(await add());
    lake = await add({ description: 'Grandma at the lake' });
    bill = await add();
    await saveTextPart(database.db, bill, 'read', 'Stadtwerke Muenchen Rechnung 12,40');
    numbered = await add({}, { fileName: 'IMG_3589.jpg' });
    for (const state of [{ lockedAt: new Date() }, { trashedAt: new Date() }]) {
      await add({ description: 'Stadtwerke Grandma at the lake' }, state);
    }
    theirs = await seed(database).asset({
      ownerId: other.id,
      exif: { description: 'Stadtwerke', city: 'Grandma' },
    });
    // A word that many have tells nothing beside one that nothing has.
    for (const id of plain) await saveTextPart(database.db, id, 'read', 'invoice');
    await indexTexts(database);
    for (const text of TEXTS) await near(CLIP, text, [...plain, bill, lake, numbered, theirs]);
  });

  test('ranks items with the words among the first five', async () => {
    for (const [query, id] of [
      ['Stadtwerke', bill],
      ['invoice Stadtwerke', bill],
      // Beginnings and corrections of words that somebody has typed.
      ['Grandm', lake],
      ['Grandna', lake],
      ['IMG_3589', numbered],
      ['grandma at the lake', lake],
    ] as const) {
      const ids = await found(query, me);
      expect([query, ids.slice(0, 5).includes(id)]).toEqual([query, true]);
      expect(ids).not.toContain(theirs);
      expect(new Set(ids)).toEqual(new Set([...plain, lake, bill, numbered]));
      expect(ids).toHaveLength(FILLED + 3);
      const { assets } = (await call(app, 'POST /search/ask', { as: me, body: { query } })).body;
      expect(assets.items.map((item: { id: string }) => item.id)).toEqual(ids);
    }
    expect((await found('IMG_3589', me))[0]).toBe(numbered);
    expect((await found('grandma at the lake', me))[0]).toBe(lake);
  });

  test('a short word of a language is not the beginning of another one, and no word is misspelled', async () => {
    const barge = await seed(database).asset({
      ownerId: me.id,
      exif: { description: 'Barcelona dogma beachfront boats' },
    });
    await indexTexts(database);
    for (const [query, isFound] of [
      ['bar', false],
      ['dog', false],
      // Longer ones are also beginnings.
      ['beach', true],
      ['barc', true],
      // Similar to what is there, but a word.
      ['beachfrond', true],
      ['goats', false],
    ] as const)
      expect([query, (await found(query, me)).includes(barge)]).toEqual([query, isFound]);
    await database.sql`delete from asset where id = ${barge}`;
  });

  test('one of several words in recognised text is no match while another is nowhere', async () => {
    const [first] = await found('Stadtwerke', me);
    expect(first).toBe(bill);
    await near(CLIP, 'xqzzt Stadtwerke', [...plain, lake, numbered, bill]);
    expect((await found('xqzzt Stadtwerke', me)).at(-1)).toBe(bill);
  });

  test('semantic matches stay first where no item has the words', async () => {
    await near(CLIP, 'sunset', [...plain, bill, lake, numbered, theirs]);
    expect((await found('sunset', me)).slice(0, 3)).toEqual(plain.slice(0, 3));
  });

  test('pages are parts of one list, without repetitions', async () => {
    const all = await found('Stadtwerke', me);
    const seen: string[] = [];
    let page: string | null = '1';
    while (page !== null) {
      const part = await smart({ query: 'Stadtwerke', size: 7, page: Number(page) }, me);
      seen.push(...part.items.map((item: { id: string }) => item.id));
      page = part.nextPage;
    }
    expect(seen).toEqual(all);
  });

  test('facets, histogram and statistics count what is listed', async () => {
    const bare = await seed(database).asset({
      ownerId: me.id,
      exif: { description: 'Stadtwerke, without a vector', city: 'Oslo' },
    });
    await indexTexts(database);
    for (const over of [{}, { city: 'Oslo' }, { city: 'Rome' }]) {
      const ids = await found('Stadtwerke', me, over);
      expect(ids.includes(bare)).toBe(!('city' in over) || over.city === 'Oslo');
      for (const route of ['facets', 'histogram', 'statistics']) {
        const body = { query: 'Stadtwerke', ...over };
        const reply = await call(app, `POST /search/${route}`, { as: me, body });
        expect([route, over, reply.body.total]).toEqual([route, over, ids.length]);
      }
    }
    await database.sql`delete from asset where id = ${bare}`;
  });

  test('the hidden places of a partner do not lead to its items', async () => {
    const pair = { sharerId: other.id, viewerId: me.id, inTimeline: true };
    await database.db.insert(partners).values(pair);
    expect((await found('grandma', me)).slice(0, 2)).toContain(theirs);
    await database.db.update(partners).set({ hidesPlaces: true });
    expect((await found('grandma', me))[0]).toBe(lake);
    expect((await found('grandma', me)).slice(0, 5)).not.toContain(theirs);
    expect((await found('Stadtwerke', me)).slice(0, 5)).toContain(theirs);
    await database.db.delete(partners);
  });
});

describe('a model that was installed just now', () => {
  test('is used once it covers as much as the previous one; search by words works meanwhile', async () => {
    const me = await seed(database).user();
    const add = (exif: object = {}) => seed(database).asset({ ownerId: me.id, exif });
    const ids = [await add(), await add(), await add({ description: 'Zeppelin' }), await add()];
    await indexTexts(database);
    // Others are done with it; this owner has no vectors at all.
    expect(await found('Zeppelin', me)).toEqual([ids[2]!]);
    await near(CONSE, 'dog', ids);
    expect(await found('dog', me)).toEqual(ids);
    expect((await found('Zeppelin', me))[0]).toBe(ids[2]!);
    await near(CLIP, 'dog', ids.toReversed().slice(0, 3));
    expect(await found('dog', me)).toEqual(ids);
    await near(CLIP, 'dog', ids.toReversed());
    expect(await found('dog', me)).toEqual(ids.toReversed());
    expect(await found('dog', await seed(database).user())).toEqual([]);
  });

  test('the owner goes back at once, and on to another CLIP model when that is whole', async () => {
    const me = await seed(database).user();
    const add = () => seed(database).asset({ ownerId: me.id });
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await add());
    const newest = await add();
    // The model before another one is that with most vectors, of all accounts and tests.
    const { id: ownerId } = await seed(database).user();
    for (let n = 0; n < 5; n++) await near(CLIP, 'dog', [await seed(database).asset({ ownerId })]);
    await near(CONSE, 'dog', ids);
    await near(CLIP, 'dog', [...ids, newest].toReversed());
    expect(await found('dog', me)).toEqual([...ids, newest].toReversed());
    const folder = join(database.deps.paths.root, 'models');
    const choose = (choice: SearchChoice) => {
      saveSearchChoice(folder, choice);
      clearModelCache();
    };
    choose({ model: CONSE });
    // Some are not near enough to be results.
    const before = await found('dog', me);
    expect(before.length).toBeGreaterThan(5);
    expect(before).toEqual(ids.slice(0, before.length));
    await writeClip(join(folder, 'clip', 'new'), { dimension: 24, side: 32 });
    choose({ model: CLIP });
    expect(await found('dog', me)).toEqual([...ids, newest].toReversed());
    choose({ model: 'new' });
    await near('new', 'dog', ids.slice(0, 15));
    expect(await found('dog', me)).toEqual([...ids, newest].toReversed());
    await near('new', 'dog', [newest, ...ids]);
    expect(await found('dog', me)).toEqual([newest, ...ids]);
    await rm(join(folder, 'clip', 'new'), { recursive: true });
    choose({});
    expect(await found('dog', me)).toEqual([...ids, newest].toReversed());
  });

  test('new pictures are found by it while it still lacks the others', async () => {
    const me = await seed(database).user();
    const add = () => seed(database).asset({ ownerId: me.id });
    const ids = await Promise.all(Array.from({ length: 20 }, add));
    const [newest, unlike] = [await add(), await add()];
    const trashed = await seed(database).asset({ ownerId: me.id, trashedAt: new Date() });
    const theirs = await seed(database).asset({ ownerId: (await seed(database).user()).id });
    await near(CLIP, 'dog', ids);
    const folder = join(database.deps.paths.root, 'models');
    const clip = join(folder, 'clip', 'new');
    await writeClip(clip, { dimension: 24, side: 32 });
    await Bun.write(join(clip, 'calibration.json'), JSON.stringify({ least: 0.9 }));
    saveSearchChoice(folder, { model: 'new' });
    clearModelCache();
    await near('new', 'dog', [newest, ids[19]!, trashed, theirs]);
    const opposite = await getInference(database.deps).embedQuery('dog', { modelId: 'new' });
    const vector = opposite.map((value) => -value);
    await database.db.transaction((tx) =>
      saveEmbeddings(tx, 'new', [{ kind: 'asset', subjectId: unlike, vector }]),
    );
    await getVectorIndex(database.deps).refresh('new');
    const all = await found('dog', me);
    // Pictures that the one before it has stay in its order.
    expect(all.filter((id) => id !== newest)).toEqual(ids);
    expect(all.indexOf(newest)).toBeLessThan(2);
    expect((await smart({ queryAssetId: newest }, me)).items[0].id).toBe(newest);
    await rm(clip, { recursive: true });
    saveSearchChoice(folder, {});
    clearModelCache();
  });

  test('a picture with a vector of the older model only is still ranked', async () => {
    const me = await seed(database).user();
    const add = () => seed(database).asset({ ownerId: me.id });
    const ids = [await add(), await add(), await add()];
    await near(CONSE, 'cat', ids);
    expect((await smart({ queryAssetId: ids[0] }, me)).items).toHaveLength(3);
  });
});
