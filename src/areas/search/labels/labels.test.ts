import { beforeEach, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { type Seen, useSeenLibrary } from '../../../../test/support/seen-library.ts';
import { partners } from '../../../db/tables/identity.ts';
import { tagAssets, tags } from '../../../db/tables/tags.ts';

const library = await useSeenLibrary();
const { database, app } = library;
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const see = (assetId: string, seen: Seen) => library.see(me, assetId, seen);
const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const finish = () => library.finish();
const search = (query: string, as = me) => library.search(as, query);

test('a kind finds its labels, the most probable first, and nonsense finds nothing', async () => {
  const cat = await add({ tags: { tabby: 0.4, 'Egyptian cat': 0.3 } });
  const maybe = await add({ tags: { tabby: 0.12 }, objects: { couch: 0.9 } });
  const unlikely = await add({ tags: { tabby: 0.04 } });
  const car = await add({ objects: { car: 0.8 } });
  await finish();
  expect(await search('cat')).toEqual([cat, maybe]);
  expect(await search('animals')).toEqual([cat, maybe]);
  expect(await search('Katze')).toEqual([cat, maybe]);
  expect(await search('vehicle')).toEqual([car]);
  for (const nonsense of ['submarine', 'quantum physics', 'xqzzt', 'tax return form'])
    expect([nonsense, await search(nonsense)]).toEqual([nonsense, []]);
  expect(await search('cat')).not.toContain(unlikely);
});

test('less certain results are listed and counted on request, in our own operations', async () => {
  const ids = [await add({ tags: { tabby: 0.9 } }), await add({ objects: { car: 0.9 } })];
  await add({ tags: { tabby: 0.9 } }, { lockedAt: new Date() });
  await finish();
  const body = { query: 'submarine', lessCertain: true };
  const { assets } = (await call(app, 'POST /search/ask', { as: me, body })).body;
  expect(assets.items.map(({ id }: { id: string }) => id).toSorted()).toEqual(ids.toSorted());
  for (const route of ['facets', 'histogram']) {
    const count = async (lessCertain: boolean) =>
      (await call(app, `POST /search/${route}`, { as: me, body: { ...body, lessCertain } })).body
        .total;
    expect([route, await count(true), await count(false)]).toEqual([route, 2, 0]);
  }
});

test('labels find what the searcher may see, and nothing else', async () => {
  const seen = { tags: { tabby: 0.9 } };
  const mine = await add(seen);
  for (const state of [
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'archive' },
  ])
    await add(seen, state);
  const [stranger, partner] = [await seed(database).user(), await seed(database).user()];
  await add(seen, { ownerId: stranger.id });
  const shared = await add(seen, { ownerId: partner.id, takenAt: new Date('2001-01-01') });
  await database.db
    .insert(partners)
    .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  await finish();
  expect(await search('cat')).toEqual([mine, shared]);
  expect(await search('cat', await seed(database).user())).toEqual([]);
});

test('items with all terms are the result; without any, those with some', async () => {
  const both = await add({ objects: { cat: 0.7, couch: 0.5 } });
  const cat = await add({ objects: { cat: 0.9 } });
  await finish();
  expect(await search('cat on a sofa')).toEqual([both]);
  expect(await search('cat in a car')).toEqual([cat, both]);
});

test('an animal that the detector takes for another is not what its tags say', async () => {
  const cat = await add({ tags: { Cardigan: 0.8 }, objects: { cat: 0.7 } });
  const dog = await add({ tags: { Cardigan: 0.3 }, objects: { couch: 0.9 } });
  const both = await add({ tags: { Cardigan: 0.2 }, objects: { cat: 0.7, dog: 0.6 } });
  await finish();
  expect(await search('dog')).toEqual([both, dog]);
  expect((await search('cat')).toSorted()).toEqual([cat, both].toSorted());
  expect((await search('animals')).toSorted()).toEqual([cat, both, dog].toSorted());
});

test('a colour tells apart what has the other terms, and is a result alone', async () => {
  const red = await add({ objects: { car: 0.6 }, colours: { red: 0.5 } });
  const blue = await add({ objects: { car: 0.9 }, colours: { blue: 0.9 } });
  const rose = await add({ tags: { daisy: 0.9 }, colours: { red: 0.9 } });
  await finish();
  expect(await search('red car')).toEqual([red]);
  expect(await search('green car')).toEqual([blue, red]);
  expect(await search('red')).toEqual([rose, red]);
});

test('a colour is that of the thing, where its boxes are known, and not of what is around it', async () => {
  const car = { objects: { car: 0.9 } };
  const small = await add({ ...car, colours: { green: 0.9, 'red car': 0.8 } });
  await add({ ...car, colours: { red: 0.9, 'blue car': 0.9 } });
  const unknown = await add({ ...car, colours: { red: 0.7 } });
  await finish();
  for (const query of ['red car', 'rotes Auto', 'voiture rouge', 'red cars'])
    expect([query, (await search(query)).toSorted()]).toEqual([query, [small, unknown].toSorted()]);
  expect(await search('car')).toHaveLength(3);
  const labels = await call(app, `GET /assets/${small}/labels`, { as: me });
  expect(labels.body.map(({ label }: { label: string }) => label)).toEqual(['car']);
});

test('a little of a colour is no result where others are full of it', async () => {
  const full = await add({ objects: { car: 0.9 }, colours: { red: 0.9 } });
  const half = await add({ objects: { car: 0.6 }, colours: { red: 0.8 } });
  await add({ objects: { car: 0.9 }, colours: { red: 0.25 } });
  await finish();
  expect(await search('red car')).toEqual([full, half]);
  expect(await search('red')).toHaveLength(3);
  expect(await search('cars')).toHaveLength(3);
});

test('a negation excludes what shows the term, wherever the rest was found', async () => {
  const dog = await add({ objects: { dog: 0.9 } });
  const both = await add({ objects: { dog: 0.9, cat: 0.5 } });
  const written = await add({ objects: { cat: 0.9 } }, { exif: { description: 'my dog' } });
  await finish();
  expect((await search('dog')).toSorted()).toEqual([dog, both, written].toSorted());
  expect(await search('dog without cat')).toEqual([dog]);
  expect(await search('Hund ohne Katze')).toEqual([dog]);
});

test('a tag on one item hides no other item that shows the same', async () => {
  const tagged = await add({});
  const others = [await add({ objects: { dog: 0.9 } }), await add({ objects: { dog: 0.8 } })];
  const [tag] = await database.db.insert(tags).values({ ownerId: me.id, value: 'Dog' }).returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: tagged });
  await finish();
  expect(await search('dog')).toEqual([tagged, ...others]);
});

test('what the owner says about a label holds, whatever a model says later', async () => {
  const dog = await add({ tags: { Cardigan: 0.8 }, objects: { dog: 0.9 }, colours: { red: 0.9 } });
  const cat = await add({ tags: { tabby: 0.3 }, objects: { cat: 0.9, couch: 0.05 } });
  await finish();
  const list = async (id: string, language = '') =>
    (await call(app, `GET /assets/${id}/labels?language=${language}`, { as: me })).body;
  const say = (id: string, label: string, isRight: boolean | null, as = me) =>
    call(app, `PUT /assets/${id}/labels`, { as, body: { label, isRight } });
  expect(await list(cat, 'de')).toEqual([
    { label: 'cat', name: 'katze', score: expect.closeTo(0.9), isRight: null },
    { label: 'tabby', name: expect.any(String), score: expect.closeTo(0.3), isRight: null },
  ]);
  expect((await list(dog)).map(({ label }: { label: string }) => label)).toEqual([
    'dog',
    'Cardigan',
  ]);

  expect((await say(cat, 'cat', false)).status).toBe(204);
  expect((await say(cat, 'tabby', false)).status).toBe(204);
  // A model that has not seen it may be told, too.
  expect((await say(cat, 'hamster', true)).status).toBe(204);
  expect((await say(dog, 'dog', true)).status).toBe(204);
  await finish();
  expect(await search('cat')).toEqual([]);
  expect(await search('hamster')).toEqual([cat]);
  expect(await search('dog')).toEqual([dog]);
  expect(await list(cat)).toEqual([
    { label: 'hamster', name: 'hamster', score: 1, isRight: true },
    { label: 'cat', name: 'cat', score: 0, isRight: false },
    { label: 'tabby', name: 'tabby', score: 0, isRight: false },
  ]);
  await see(cat, { tags: { tabby: 0.9 }, objects: { cat: 0.99 } });
  await see(dog, {});
  await finish();
  expect([await search('cat'), await search('hamster')]).toEqual([[], [cat]]);
  expect(await search('dog')).toEqual([dog]);
  // A cat still, but no tabby.
  expect((await say(cat, 'cat', null)).status).toBe(204);
  await finish();
  expect(await search('cat')).toEqual([cat]);
  expect(await search('tabby')).toEqual([]);

  const stranger = await seed(database).user();
  expect((await say(cat, 'cat', false, stranger)).status).toBe(400);
  expect((await say(cat, '<no such label>', true)).body.message).toContain('label');
  const weak = await seed(database).user(['asset.read']);
  expect((await say(cat, 'cat', false, weak)).status).toBe(403);
});

test('labels of a later analysis replace those before', async () => {
  const id = await add({ tags: { tabby: 0.9, tub: 0.5 }, colours: { red: 0.5 } });
  await finish();
  expect(await search('cat')).toEqual([id]);
  await see(id, { tags: { hog: 0.8, tub: 0.2 }, objects: { bowl: 0.5 } });
  await finish();
  expect([await search('cat'), await search('red')]).toEqual([[], []]);
  expect(await search('pig')).toEqual([id]);
  expect(
    await database.sql`select source, label from asset_label where asset_id = ${id} order by 1, 2`,
  ).toEqual([
    { source: 'objects', label: 'bowl' },
    { source: 'tags', label: 'hog' },
    { source: 'tags', label: 'tub' },
  ] as never);
});
