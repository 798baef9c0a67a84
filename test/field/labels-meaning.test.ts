import { beforeEach, expect, test } from 'bun:test';
import type { Layout } from '../../src/inference/index.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import { addFace, addPerson } from '../support/people.ts';
import { type Seen, useSeenLibrary } from '../support/seen-library.ts';

// What labels of models mean to people: taken off, added, counted, and asked for in their language.

const library = await useSeenLibrary();
const { database, app } = library;
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const search = (query: string) => library.search(me, query);
const say = async (id: string, label: string, isRight: boolean | null, language = 'en') => {
  const body = { label, isRight, language };
  const { status } = await call(app, `PUT /assets/${id}/labels`, { as: me, body });
  await library.finish();
  return status;
};
const searchAll = async (query: string) => {
  const body = { query, lessCertain: true };
  const { assets } = (await call(app, 'POST /search/ask', { as: me, body })).body;
  return assets.items.map(({ id }: { id: string }) => id) as string[];
};

test('634: a cat that was taken for a dog is no kelpie either, once it is no dog', async () => {
  const cat = await add({ tags: { kelpie: 0.7, Cardigan: 0.2 }, objects: { dog: 0.9 } });
  const dog = await add({ tags: { kelpie: 0.7 }, objects: { dog: 0.9 } });
  await library.finish();
  expect(await say(cat, 'dog', false)).toBe(204);
  for (const query of ['dog', 'Hund', 'kelpie', 'dogs', 'animals'])
    expect([query, await search(query)]).toEqual([query, [dog]]);
  for (const route of ['statistics', 'histogram']) {
    const { body } = await call(app, `POST /search/${route}`, {
      as: me,
      body: { query: 'kelpie' },
    });
    expect([route, body.total]).toEqual([route, 1]);
  }
  // Nor after the models have looked at it again.
  await library.see(me, cat, { tags: { kelpie: 0.9 }, objects: { dog: 0.95 } });
  await library.finish();
  expect(await search('kelpie')).toEqual([dog]);
  await say(cat, 'dog', null);
  expect((await search('kelpie')).toSorted()).toEqual([cat, dog].toSorted());
});

test('635: what models miss is added in words of its own, and found in other languages', async () => {
  const id = await add({});
  await add({});
  expect(await say(id, 'Ziege', true, 'de')).toBe(204);
  for (const query of ['Ziege', 'goat', 'chèvre', 'cabra', '山羊'])
    expect([query, await search(query)]).toEqual([query, [id]]);
  await say(id, 'Ziege', null);
  expect(await search('goat')).toEqual([]);
});

test('636: three people are three: more come behind them, fewer are less certain', async () => {
  const show = async (count: number) => {
    const id = await add({ objects: { person: 0.9 } });
    for (let n = 0; n < count; n++) await addFace(database, { ownerId: me.id, assetId: id });
    return id;
  };
  const [five, two, three] = [await show(5), await show(2), await show(3)];
  await library.finish();
  for (const query of ['three people', 'drei Personen', '3人'])
    expect([query, await search(query)]).toEqual([query, [three, five]]);
  expect((await searchAll('three people')).slice(0, 3)).toEqual([three, five, two]);
});

test('637: babies are those whose birth dates say so, and not everybody', async () => {
  const born = { ownerId: me.id, name: 'Ann', birthDate: '2020-01-01' };
  const { id: personId } = await addPerson(database, born);
  const show = async (year: number) => {
    const takenAt = new Date(`${year}-06-01T12:00:00Z`);
    const id = await add({ objects: { person: 0.9 } }, { takenAt });
    await addFace(database, { ownerId: me.id, assetId: id, personId });
    return id;
  };
  const [baby, later] = [await show(2020), await show(2040)];
  await library.finish();
  expect([await search('baby'), await search('Baby')]).toEqual([[baby], [baby]]);
  expect((await search('people')).toSorted()).toEqual([baby, later].toSorted());
  expect((await searchAll('baby')).slice(0, 2)).toEqual([baby, later]);
});

test('638: a scene that is only likely is no certain result, and no label', async () => {
  const sea: Layout = Array.from({ length: 64 }, (_, at) =>
    at < 24 ? ([110, 160, 220, 8] as const) : ([40, 120, 170, 8] as const),
  );
  const likely = await add({ layout: sea });
  const certain = await add({ layout: sea, tags: { seashore: 0.9 } });
  await library.finish();
  expect(await search('sea')).toEqual([certain]);
  expect((await searchAll('sea')).slice(0, 2)).toEqual([certain, likely]);
  expect((await call(app, `GET /assets/${likely}/labels`, { as: me })).body).toEqual([]);
});

test('639: things are offered in the language of the page, those of the own photos only', async () => {
  await add({ objects: { zebra: 0.9 } });
  await add({ objects: { giraffe: 0.9 } }, { lockedAt: new Date() });
  const stranger = await seed(database).user();
  await add({ objects: { bear: 0.9 } }, { ownerId: stranger.id });
  await library.finish();
  const complete = async (query: string, language: string) =>
    (
      await call(app, `GET /search/completions?query=${query}&language=${language}`, { as: me })
    ).body.map(({ label }: { label: string }) => label);
  expect(await complete('zeb', 'en')).toEqual(['zebra']);
  expect(await complete('zeb', 'nl')).toEqual(['zebra']);
  expect(await complete('ceb', 'es')).toEqual(['cebra']);
  for (const hidden of ['gir', 'bea']) expect(await complete(hidden, 'en')).toEqual([]);
});
