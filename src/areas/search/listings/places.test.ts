import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { STATES } from '../../../../test/support/household.ts';
import { listDifferences } from '../../../../test/support/schema.ts';
import { AssetResponseDto } from '../../assets/index.ts';
import { SearchExploreResponseDto } from './listings.schemas.ts';

const { database, app, house } = await useHousehold();

describe('cities', () => {
  const cities = async (as: TestUser) => (await call(app, 'GET /search/cities', { as })).body;
  const names = async (as: TestUser) =>
    (await cities(as)).map((item: { exifInfo: { city: string } }) => item.exifInfo.city);

  test('lists one visible item of each in order, also after the previous one was hidden', async () => {
    const me = await seed(database).user();
    const add = (city: string | null, values: object = {}) =>
      seed(database).asset({ ownerId: me.id, exif: { city, country: 'X' }, ...values });
    const porto = [await add('Porto'), await add('Porto'), await add('Porto')];
    await add('Braga');
    await add(null);
    for (const state of [
      { lockedAt: NOW },
      { trashedAt: NOW },
      { visibility: 'hidden' },
      { visibility: 'archive' },
    ]) {
      await add('Nowhere', state);
      await add('Porto', state);
    }
    expect(await names(me)).toEqual(['Braga', 'Porto']);
    // Whichever stands for the city goes away, until none is left.
    for (const change of [
      `update asset set visibility = 'archive' where id = $1`,
      `update asset_exif set city = 'Braga' where asset_id = $1`,
      'delete from asset where id = $1',
    ]) {
      const list = await cities(me);
      const shown = list.find(
        (item: { exifInfo: { city: string } }) => item.exifInfo.city === 'Porto',
      );
      expect(porto).toContain(shown.id);
      await database.sql.unsafe(change, [shown.id]);
    }
    expect(await names(me)).toEqual(['Braga']);
    expect(await names(house.stranger)).toEqual([]);
  });

  test('lists two cities of one name separately', async () => {
    const me = await seed(database).user();
    for (const state of ['Illinois', 'Ohio', 'Ohio']) {
      await seed(database).asset({ ownerId: me.id, exif: { city: 'Springfield', state } });
    }
    expect(await names(me)).toEqual(['Springfield', 'Springfield']);
    const counts = (await call(app, 'GET /search/cities/counts', { as: me })).body;
    expect(counts).toEqual([
      { city: 'Springfield', state: 'Illinois', country: null, count: 1 },
      { city: 'Springfield', state: 'Ohio', country: null, count: 2 },
    ]);
    // A filter names the city alone.
    const [item] = await cities(me);
    expect(listDifferences(AssetResponseDto, item)).toEqual([]);
  });

  test('explore lists the cities with the most items, without small ones and those of partners', async () => {
    const explore = async (as: TestUser) => (await call(app, 'GET /search/explore', { as })).body;
    const [me, partner] = [await seed(database).user(), await seed(database).user()];
    const add = async (city: string, count: number) => {
      for (let n = 0; n < count; n++) {
        await seed(database).asset({ ownerId: me.id, exif: { city } });
      }
    };
    await add('Rome', 6);
    await add('Oslo', 5);
    await add('Bern', 4);
    const reply = await explore(me);
    expect(reply).toMatchObject([
      { fieldName: 'exifInfo.city', items: [{ value: 'Rome' }, { value: 'Oslo' }] },
      { fieldName: 'createdAt', items: Array(12).fill({}) },
    ]);
    expect(reply[0].items[0].data.people).toEqual([]);
    expect(reply[0].items[0].data.exifInfo.city).toBe('Rome');
    expect(listDifferences(SearchExploreResponseDto, reply[0])).toEqual([]);
    await database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline)
      values (${me.id}, ${partner.id}, true)`;
    expect(await names(partner)).toHaveLength(3);
    expect(await explore(partner)).toEqual([
      { fieldName: 'exifInfo.city', items: [] },
      { fieldName: 'createdAt', items: [] },
    ]);
  });
});

test('explore lists the newest visible pictures, newest first', async () => {
  const me = await seed(database).user();
  const add = (day: number, over: object = {}, ownerId = me.id) =>
    seed(database).asset({ ownerId, createdAt: new Date(Date.UTC(2026, 0, day)), ...over });
  const [first, second] = [await add(1), await add(3)];
  for (const over of Object.values(STATES)) {
    if (Object.keys(over).some((key) => /At|visibility/.test(key))) await add(20, over);
  }
  await add(20, { type: 'VIDEO', fileName: 'a.mp4' });
  await add(20, {}, (await seed(database).user()).id);
  const last = await add(2);
  const [, recent] = (await call(app, 'GET /search/explore', { as: me })).body;
  expect(listDifferences(SearchExploreResponseDto, recent)).toEqual([]);
  expect(recent.fieldName).toBe('createdAt');
  expect(recent.items.map(({ data }: { data: { id: string } }) => data.id)).toEqual([
    second,
    last,
    first,
  ]);
  expect(recent.items[0].value).toBe('2026-01-03T00:00:00.000Z');
});

describe('suggestions', () => {
  const suggest = async (query: string, as: TestUser) =>
    (await call(app, `GET /search/suggestions?${query}`, { as })).body;

  test('suggests existing values, narrowed by the other filters', async () => {
    const me = await seed(database).user();
    const add = (exif: object, values: object = {}) =>
      seed(database).asset({ ownerId: me.id, exif, ...values });
    await add({ country: 'Italy', state: 'Lazio', city: 'Rome' });
    await add({ country: 'Italy', state: 'Tuscany', city: 'Pisa' });
    await add({ country: 'Norway', city: 'Oslo', make: 'Canon', model: 'R5', lensModel: '50mm' });
    await add({ make: 'Canon', model: 'R6' });
    await add({ country: 'Secret', city: 'Secret', make: 'Secret' }, { lockedAt: NOW });
    await add({ country: 'Secret', city: 'Secret', make: 'Secret' }, { trashedAt: NOW });
    for (const [query, values] of [
      ['type=country', ['Italy', 'Norway']],
      ['type=state', ['Lazio', 'Tuscany']],
      ['type=city', ['Oslo', 'Pisa', 'Rome']],
      ['type=city&country=Italy', ['Pisa', 'Rome']],
      ['type=city&country=Italy&state=Lazio', ['Rome']],
      ['type=camera-make', ['Canon']],
      ['type=camera-make&includeNull=true', ['Canon', null]],
      ['type=camera-model', ['R5', 'R6']],
      ['type=camera-model&lensModel=50mm', ['R5']],
      ['type=camera-lens-model&make=Canon', ['50mm']],
      ['type=camera-model&make=Nikon', []],
    ] as const) {
      expect([query, await suggest(query, me)]).toEqual([query, [...values]]);
    }
    expect(await suggest('type=city', await seed(database).user())).toEqual([]);
    expect((await call(app, 'GET /search/suggestions?type=x', { as: me })).status).toBe(400);
    expect((await call(app, 'GET /search/suggestions', { as: me })).status).toBe(400);
  });
});

describe('places', () => {
  const places = (name: string) =>
    call(app, `GET /search/places?name=${encodeURIComponent(name)}`, { as: house.owner });
  const names = async (name: string) =>
    (await places(name)).body.map((place: { name: string }) => place.name);

  test('finds towns by name, the largest first, ignoring diacritics and case', async () => {
    const [lisbon] = (await places('lisbon')).body;
    expect(lisbon).toMatchObject({ name: 'Lisbon', admin1name: 'Lisbon' });
    expect(lisbon.latitude).toBeCloseTo(38.7, 0);
    expect(lisbon.longitude).toBeCloseTo(-9.1, 0);
    expect((await names('sao paulo'))[0]).toBe('São Paulo');
    expect(await names('york')).toContain('New York City');
    expect((await names('springf')).length).toBeGreaterThan(5);
    expect((await names('a')).length).toBe(20);
    expect(await names('xqzzy')).toEqual([]);
    expect(await names(' ')).toEqual([]);
  });

  test('without a name → 400', async () => {
    expect((await places('')).status).toBe(400);
    expect((await call(app, 'GET /search/places', { as: house.owner })).status).toBe(400);
  });
});
