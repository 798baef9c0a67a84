import { beforeEach, describe, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { type Seen, useSeenLibrary } from '../../../../test/support/seen-library.ts';

const library = await useSeenLibrary();
const { database, app } = library;
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const search = (query: string, as = me) => library.search(as, query);
const searchAll = (query: string, as: object = { as: me }) => ask({ query, lessCertain: true }, as);
const ask = async (body: object, as: object = { as: me }) => {
  const { assets } = (await call(app, 'POST /search/ask', { ...as, body })).body;
  return assets.items.map(({ id }: { id: string }) => id) as string[];
};
const PERSON = { objects: { person: 0.9 } };
/** Faces of these heights on a photo with a person. */
async function addFaces(heights: readonly number[], values: object = {}, ownerId = me.id) {
  const id = await add(PERSON, { ownerId, ...values });
  for (const height of heights)
    await addFace(database, { ownerId, assetId: id, y1: 0.1, y2: 0.1 + height });
  return id;
}

describe('a number', () => {
  test('is that of the boxes, in each language; what has no such number is less certain', async () => {
    const three = await add({ objects: { zebra: [0.9, 0.8, 0.7] }, tags: { zebra: 0.9 } });
    const five = await add({ objects: { zebra: [0.9, 0.8, 0.8, 0.8, 0.8] }, tags: { zebra: 0.9 } });
    const two = await add({ objects: { zebra: [0.9, 0.9] }, tags: { zebra: 0.9 } });
    const one = await add({ objects: { zebra: 0.9 }, tags: { zebra: 0.9 } });
    const dogs = await add({ objects: { dog: [0.9, 0.9, 0.9] }, tags: { kelpie: 0.9 } });
    await library.finish();
    for (const query of [
      'three zebras',
      'drei Zebras',
      'trois zèbres',
      '3匹のシマウマ',
      '3 zebras',
    ])
      expect([query, await search(query)]).toEqual([query, [three, five]]);
    for (const query of ['tres cebras', 'tre zebre', "drie zebra's", 'trzy zebry', 'três zebras'])
      expect([query, await search(query)]).toEqual([query, [three, five]]);
    expect(await search('三只斑马')).toEqual([three, five]);
    expect(await search('two zebras')).toEqual([two, three, five]);
    expect(await search('nine zebras')).toEqual([]);
    for (const query of ['at least three zebras', 'mindestens drei Zebras', 'co najmniej 3 zebry'])
      expect([query, await search(query)]).toEqual([query, [three, five]]);
    for (const query of ['more than three zebras', 'plus de trois zèbres', 'más de 3 cebras'])
      expect([query, await search(query)]).toEqual([query, [five]]);
    expect((await searchAll('three zebras')).slice(0, 4)).toEqual([three, five, two, one]);
    expect((await search('zebras')).toSorted()).toEqual([three, five, two, one].toSorted());
    expect([await search('three kelpies'), await search('four kelpies')]).toEqual([[dogs], []]);
    // A number of something else.
    expect(await search('zebras two weeks')).not.toEqual([]);
    const labels = await call(app, `GET /assets/${three}/labels`, { as: me });
    expect(labels.body.map(({ label }: { label: string }) => label)).toEqual(['zebra']);
    const body = { label: 'zebra', isRight: false };
    await call(app, `PUT /assets/${three}/labels`, { as: me, body });
    await library.finish();
    expect(await search('three zebras')).toEqual([five]);
  });

  test('of people is that of faces or boxes, and of pets that of theirs', async () => {
    const two = await addFaces([0.2, 0.2]);
    const boxes = await add({ objects: { person: [0.9, 0.9] } });
    const alone = await addFaces([0.2]);
    const hidden = await addFaces([0.2]);
    await addFace(database, { ownerId: me.id, assetId: hidden, isHidden: true });
    const cats = await add({ objects: { cat: 0.9 } });
    const [pet] = await database.sql`
      insert into pet (owner_id, name, species) values (${me.id}, 'Zorro', 'cat') returning id`;
    for (let n = 0; n < 2; n++)
      await database.sql`insert into pet_observation (asset_id, pet_id, species, score, x1, y1, x2, y2, model_id)
        values (${cats}, ${pet!['id']}, 'cat', 0.9, 0, 0, 1, 1, 'm')`;
    await library.finish();
    for (const query of ['two people', 'zwei Personen', 'deux personnes', '二人', '2人', 'two men'])
      expect([query, (await search(query)).toSorted()]).toEqual([query, [two, boxes].toSorted()]);
    const all = await searchAll('two people');
    expect(all.slice(2, 4).toSorted()).toEqual([alone, hidden].toSorted());
    expect([await search('two cats'), await search('three cats')]).toEqual([[cats], []]);
  });
});

test('what is less certain is found where a place or a person is named, or where only the colour is another', async () => {
  const kenya = { exif: { country: 'Kenya' } };
  const two = await add({ objects: { zebra: [0.9, 0.9] }, tags: { zebra: 0.9 } }, kenya);
  await add({ objects: { zebra: 0.9 }, tags: { zebra: 0.9 } });
  const red = await add({
    objects: { car: 0.9 },
    tags: { 'sports car': 0.9 },
    colours: { 'red car': 0.8 },
  });
  await library.finish();
  expect(await ask({ query: 'nine zebras in Kenya' })).toEqual([two]);
  expect(await search('nine zebras')).toEqual([]);
  expect(await ask({ query: 'zebras in Kenya' })).toEqual([two]);
  expect(await ask({ query: 'nine zebras in Kenya' }, { as: await seed(database).user() })).toEqual(
    [],
  );
  expect(await search('blue car')).toEqual([red]);
  const lion = await add({ tags: { lion: 0.9 } }, kenya);
  await library.finish();
  for (const query of ['Kenya without zebras', 'Kenia ohne Zebras', 'kenya sans zèbres'])
    expect([query, await ask({ query })]).toEqual([query, [lion]]);
  expect((await ask({ query: 'Kenya without lions' })).toSorted()).toEqual([two]);
});

describe('people', () => {
  test('are a group by their number, and a family by their sizes', async () => {
    const alone = await addFaces([0.3]);
    const equal = await addFaces([0.3, 0.29]);
    const family = await addFaces([0.3, 0.15]);
    const group = await addFaces([0.3, 0.3, 0.3]);
    await library.finish();
    for (const query of ['group photo', 'group', 'Gruppe', 'groupe'])
      expect([query, await search(query)]).toEqual([query, [group]]);
    for (const query of ['family', 'Familie', '家族'])
      expect([query, await search(query)]).toEqual([query, [family]]);
    const couples = await search('couple');
    expect(couples.slice(0, 2).toSorted()).toEqual([equal, family].toSorted());
    expect(couples.slice(2)).toEqual([group]);
    expect((await search('people')).toSorted()).toEqual([alone, equal, family, group].toSorted());
    // No label tells a woman from a man.
    for (const query of ['woman', 'girl', 'children', 'baby', 'friends'])
      expect([query, await search(query)]).toEqual([query, []]);
    expect((await searchAll('group')).slice(0, 4).toSorted()).toEqual(
      [alone, equal, family, group].toSorted(),
    );
    expect((await searchAll('woman')).slice(0, 4).toSorted()).toEqual(
      [alone, equal, family, group].toSorted(),
    );
  });

  test('are children by the birth dates of the own people, for keys that may read them', async () => {
    const person = async (ownerId: string, birthDate: string) =>
      (await addPerson(database, { ownerId, name: 'Ann', birthDate })).id;
    const show = async (personId: string, year: number, values: object = {}, ownerId = me.id) => {
      const taken = { takenAt: new Date(`${year}-07-01T12:00:00Z`) };
      const id = await add(PERSON, { ownerId, ...taken, ...values });
      await addFace(database, { ownerId, assetId: id, personId });
      return id;
    };
    const ann = await person(me.id, '2015-01-01');
    const [baby, child, adult] = [
      await show(ann, 2016),
      await show(ann, 2022),
      await show(ann, 2040),
    ];
    await show(ann, 2010);
    await show(ann, 2016, { lockedAt: new Date() });
    await show(ann, 2016, { trashedAt: new Date() });
    await show(ann, 2016, { visibility: 'archive' });
    const stranger = await seed(database).user();
    await show(await person(stranger.id, '2015-01-01'), 2016, {}, stranger.id);
    await library.finish();
    expect(await search('baby')).toEqual([baby]);
    expect((await search('children')).toSorted()).toEqual([baby, child].toSorted());
    expect((await search('Kind')).toSorted()).toEqual([baby, child].toSorted());
    expect(await search('children')).not.toContain(adult);
    const body = { name: 'k', permissions: ['asset.read'] };
    const { body: key } = await call(app, 'POST /api-keys', { session: me, body });
    expect(await search('baby', { ...me, key: key.secret })).toEqual([]);
  });
});

test('what shows some of the terms comes after all that is certain, and only if that is asked for', async () => {
  const both = await add({ objects: { cat: 0.7, couch: 0.5 } });
  const cat = await add({ objects: { cat: 0.9 } });
  const written = await add({}, { exif: { description: 'cat in a car' } });
  await library.finish();
  expect(await search('cat on a sofa')).toEqual([both]);
  expect(await search('cat in a car')).toEqual([written]);
  const all = await searchAll('cat in a car');
  expect([all[0], all.toSorted()]).toEqual([written, [both, cat, written].toSorted()]);
});
