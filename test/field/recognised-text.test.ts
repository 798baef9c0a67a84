import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clearModelCache } from '../../src/inference/capabilities.ts';
import { closeInference } from '../../src/inference/client.ts';
import { getVectorIndex, saveEmbeddings } from '../../src/inference/index.ts';
import { useApp } from '../support/database.ts';
import { writeConse } from '../support/generated-models.ts';
import { call, NOW, seed, type TestUser } from '../support/harness.ts';
import { saveRecognizedText } from '../support/recognized-text.ts';
import { indexTexts } from '../support/text-index.ts';

// Text that a model has read in a picture is a reason to find it, also where it was read with a letter too many, with a
// space that is not there, or where the end of a line cuts a word.

const DIMENSION = 16;
const { database, app } = await useApp();

/** An account with a sign, and with more that its search must not show. */
async function addSign(lines: readonly string[]): Promise<{ me: TestUser; sign: string }> {
  const me = await seed(database).user();
  const add = async (over: object, owner = me) => {
    const id = await seed(database).asset({ ownerId: owner.id, fileName: 'x.jpg', ...over });
    await saveRecognizedText(database, { assetId: id, ownerId: owner.id }, lines);
    return id;
  };
  const sign = await add({});
  for (const state of [{ lockedAt: NOW }, { trashedAt: NOW }, { visibility: 'hidden' }]) {
    await add(state);
  }
  await add({}, await seed(database).user());
  const plain = await seed(database).asset({ ownerId: me.id, fileName: 'x.jpg' });
  await saveRecognizedText(database, { assetId: plain, ownerId: me.id }, ['EXIT ONLY']);
  for (const [at, subjectId] of [sign, plain].entries()) {
    const vector = Float32Array.from({ length: DIMENSION }, (_, index) => Number(index === at));
    const embedding = { kind: 'asset', subjectId, vector } as const;
    await database.db.transaction((tx) => saveEmbeddings(tx, 'conse-1', [embedding]));
  }
  await getVectorIndex(database.deps).refresh('conse-1');
  await indexTexts(database);
  return { me, sign };
}

const search = async (route: 'smart' | 'ask' | 'metadata', as: TestUser, body: object) => {
  const reply = await call(app, `POST /search/${route}`, { as, body });
  expect(reply.status).toBe(200);
  return reply.body.assets.items.map(({ id }: { id: string }) => id) as string[];
};

async function setModel(isThere: boolean): Promise<void> {
  const folder = join(database.deps.paths.root, 'models');
  if (isThere) await writeConse(folder, DIMENSION);
  else await rm(folder, { recursive: true, force: true });
  clearModelCache();
}

const SITUATIONS = [
  ['640: a part of what a plate says', ['RE16 TGK'], ['RE16', 'TGK', 're16 tgk', 'RE16TGK']],
  ['641: a word that the end of a line cuts', ['Öffnungs-', 'zeiten'], ['Öffnungszeiten']],
  ['642: a letter too many', ['GREENWICHS', 'ROYAL OBSERVATORY'], ['Greenwich', 'observatry']],
  ['643: letters with dots', ['J.PMorgan'], ['J.P. Morgan', 'JP Morgan', 'jpmorgan']],
  [
    '644: a space that was not read, or read',
    ['Koelnmesse', 'P 22'],
    ['Koeln Messe', 'koelnmesse', 'P22'],
  ],
] as const;

for (const models of ['words alone', 'words beside a model'] as const) {
  describe(models, () => {
    beforeAll(() => setModel(models !== 'words alone'));
    afterAll(async () => {
      await closeInference();
      await getVectorIndex(database.deps).close();
    });

    test.each(SITUATIONS)('%s', async (_name, lines, queries) => {
      const { me, sign } = await addSign(lines);
      for (const query of queries) {
        expect([query, await search('smart', me, { query })]).toEqual([query, [sign]]);
        expect([query, await search('ask', me, { query })]).toEqual([query, [sign]]);
      }
      expect(await search('smart', me, { query: 'Zeppelin' })).toEqual([]);
    });
  });
}

test('645: a rare word that is written there comes before the guess that a compound is', async () => {
  await setModel(true);
  const { me, sign } = await addSign(['Gasthof Sonnenhund']);
  const dog = await seed(database).asset({ ownerId: me.id, fileName: 'x.jpg' });
  await database.sql`
    insert into asset_label (asset_id, source, label, score)
    values (${dog}, 'objects', 'dog', 0.9)`;
  await indexTexts(database);
  const ask = (query: string) => search('smart', me, { query, language: 'de' });
  expect(await ask('Sonnenhund')).toEqual([sign, dog]);
  expect(await ask('Hund')).toEqual([dog]);
});

test('640, 643: the filter of recognised text finds the same', async () => {
  const plate = await addSign(['RE16 TGK']);
  expect(await search('metadata', plate.me, { ocr: 'RE16' })).toEqual([plate.sign]);
  const bank = await addSign(['J.PMorgan']);
  expect(await search('metadata', bank.me, { ocr: 'J.P. Morgan' })).toEqual([bank.sign]);
  expect(await search('metadata', bank.me, { ocr: 'Zeppelin' })).toEqual([]);
});
