import { beforeAll, describe, expect, test } from 'bun:test';
import { DateTime } from 'luxon';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { listDifferences } from '../../../../test/support/schema.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { partners } from '../../../db/tables/identity.ts';
import { AskSearchResponseDto } from '../semantic/smart.schemas.ts';

const { database, app } = await useApp();
let me: TestUser;
let ann: string;
beforeAll(async () => {
  me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
  const [person] = await database.sql<{ id: string }[]>`
    insert into person (owner_id, name) values (${me.id}, 'Ann') returning id`;
  ann = person!.id;
});

const ask = async (query: string, as: TestUser = me, over: object = {}) =>
  (await call(app, 'POST /search/ask', { as, body: { query, ...over } })).body;
const getIds = (reply: { assets: { items: { id: string }[] } }) =>
  reply.assets.items.map((item) => item.id).sort();

async function showAnn(assetId: string): Promise<void> {
  await database.sql`
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, source_revision)
    values (${me.id}, ${assetId}, ${ann}, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', 'r')`;
}

const asset = (day: string, exif: object, over: object = {}) =>
  seed(database).asset({
    ownerId: me.id,
    takenAt: new Date(`${day}T12:00:00Z`),
    exif: { country: 'Portugal', ...exif },
    ...over,
  });

describe('a question', () => {
  let wanted: string;
  let bare: string;
  beforeAll(async () => {
    wanted = await asset('2024-07-01', { city: 'Lisbon', description: 'At the beach' });
    bare = await asset('2024-07-02', { city: 'Lisbon' });
    const others = [
      await asset('2023-07-01', { city: 'Lisbon', description: 'beach' }),
      await asset('2024-07-01', { city: 'Porto', description: 'beach' }),
    ];
    const unknown = await asset('2024-07-01', { city: 'Lisbon', description: 'beach, alone' });
    const trashed = await asset(
      '2024-07-01',
      { city: 'Lisbon', description: 'beach' },
      { trashedAt: new Date() },
    );
    for (const id of [wanted, bare, ...others, trashed]) await showAnn(id);
    expect(unknown).toBeString();
    await indexTexts(database);
  });

  test('EP-032: becomes chips and a filter; the rest is searched', async () => {
    const reply = await ask('photos of Ann in Lisbon 2024 at the beach');
    const { text, filter, chips, unresolved, engine } = reply.interpretation;
    expect([text, unresolved, engine]).toEqual(['beach', [], 'local']);
    expect(
      chips.map((chip: { field: string; source: string }) => [chip.field, chip.source]),
    ).toEqual([
      ['personIds', 'Ann'],
      ['city', 'Lisbon'],
      ['takenAt', '2024'],
    ]);
    expect(filter).toEqual({
      visibility: 'timeline',
      personIds: [ann],
      city: 'Lisbon',
      // By the clock where it was taken.
      filter: {
        takenAt: { gte: '2024-01-01T00:00:00.000', lte: '2024-12-31T23:59:59.999' },
      },
    });
    expect(getIds(reply)).toEqual([wanted]);
    const again = (await call(app, 'POST /search/metadata', { as: me, body: filter })).body;
    expect(getIds(again)).toEqual([wanted, bare].sort());
    for (const chip of chips) chip.value = 'anything';
    expect(listDifferences(AskSearchResponseDto, reply)).toEqual([]);
  });

  test('a month without a year is that of each year, one with a year or before today is one', async () => {
    const [older, other] = [
      await asset('2011-10-05', { country: 'Norway' }),
      await asset('2015-10-31', { country: 'Norway' }),
    ];
    await asset('2015-11-01', { country: 'Norway' });
    expect(getIds(await ask('photos from Norway in October'))).toEqual([older, other].sort());
    expect(getIds(await ask('Norway, October 2015'))).toEqual([other]);
    expect(getIds(await ask('Norway last October'))).toEqual([]);
    expect(getIds(await ask('Norway on 5 October'))).toEqual([older]);
    expect((await ask('Norway in October')).interpretation).toMatchObject({
      chips: [{ field: 'country' }, { field: 'takenOn', label: '10', value: '10' }],
      filter: { country: 'Norway', filter: { takenOn: { in: ['10'] } } },
    });
  });

  test('prepositions alone are no text, and a thing of another language is one', async () => {
    for (const query of ['in', 'in der', 'of']) {
      expect((await ask(query)).interpretation).toMatchObject({ text: null, chips: [] });
    }
    expect((await ask('mes')).interpretation.text).toBe('mes');
  });

  test('EP-032: without a rest, its filter finds the same in a metadata search', async () => {
    for (const query of [
      'Ann in Lisbon 2024',
      'photos',
      'Lisbon or Porto',
      '2023 and 2024',
      'favorites',
      'Ann',
      'videos',
      'Portugal since 2024',
    ]) {
      const reply = await ask(query);
      expect(reply.interpretation.text).toBeNull();
      const body = reply.interpretation.filter;
      const same = await call(app, 'POST /search/metadata', { as: me, body });
      expect([query, same.status]).toEqual([query, 200]);
      expect([query, getIds(same.body)]).toEqual([query, getIds(reply)]);
    }
    expect(getIds(await ask('Ann'))).toHaveLength(4);
    expect(getIds(await ask('videos'))).toEqual([]);
  });

  test('without a rest, the newest by the clock of the place is first', async () => {
    const local = async (takenAt: string, localTakenAt: string) =>
      seed(database).asset({ ownerId: me.id, takenAt: new Date(takenAt), localTakenAt });
    const honolulu = await local('2019-03-02T08:00:00Z', '2019-03-01 22:00:00');
    const auckland = await local('2019-03-01T18:00:00Z', '2019-03-02 07:00:00');
    const { assets } = await ask('March 2019', me, { size: 1 });
    expect(getIds({ assets })).toEqual([auckland]);
    const order = { orderBy: { field: 'localDateTime' }, size: 1, cursor: assets.nextCursor };
    const body = { visibility: 'timeline', takenAfter: '2019-03-01T00:00:00Z', ...order };
    const next = await call(app, 'POST /search/metadata', { as: me, body });
    expect(getIds(next.body)).toEqual([honolulu]);
  });

  test('days are those of the place, as in the histogram; today is that of the account', async () => {
    const local = async (takenAt: string, localTakenAt: string) =>
      seed(database).asset({ ownerId: me.id, takenAt: new Date(takenAt), localTakenAt });
    // In Auckland it is already the 24th, in Honolulu still the 26th; the last two are of other days.
    const early = await local('2022-12-23T11:30:00Z', '2022-12-24 00:30:00');
    const late = await local('2022-12-27T09:30:00Z', '2022-12-26 23:30:00');
    await local('2022-12-24T05:00:00Z', '2022-12-23 19:00:00');
    await local('2022-12-26T14:00:00Z', '2022-12-27 03:00:00');
    const body = { filter: (await ask('christmas 2022')).interpretation.filter };
    const days = { ...body.filter, granularity: 'day' };
    const histogram = await call(app, 'POST /search/histogram', { as: me, body: days });
    for (const timeZone of ['Pacific/Auckland', 'Pacific/Honolulu']) {
      const put = await call(app, 'PUT /users/me', { as: me, body: { timeZone } });
      expect(put.status).toBe(200);
      expect(getIds(await ask('christmas 2022'))).toEqual([early, late].sort());
      expect(histogram.body.buckets).toEqual([
        { date: '2022-12-24', count: 1 },
        { date: '2022-12-26', count: 1 },
      ]);
      const { filter } = (await ask('today')).interpretation;
      const today = DateTime.fromJSDate(database.deps.now(), { zone: timeZone }).toISODate();
      expect(filter.filter.takenAt.gte).toBe(`${today}T00:00:00.000`);
    }
    await call(app, 'PUT /users/me', { as: me, body: { timeZone: 'Europe/Berlin' } });
  });

  test('unresolved words are returned, and typing errors corrected', async () => {
    for (const query of ['baech in Lisbon 2024', 'beech in Lisbon 2024']) {
      const slip = await ask(query);
      expect(slip.interpretation.unresolved).toEqual([]);
      expect(getIds(slip)).toHaveLength(2);
    }
    const odd = await ask('Ann beach xylophone');
    expect(odd.interpretation.unresolved).toEqual(['xylophone']);
    expect(getIds(odd)).toHaveLength(3);
    expect(getIds(await ask('xylophone'))).toEqual([]);
  });

  test('pages', async () => {
    const first = await ask('Lisbon', me, { size: 1 });
    expect(first.assets).toMatchObject({ count: 1, nextPage: '2' });
    const second = await ask('Lisbon', me, { size: 1, page: 2 });
    expect(getIds(second)).not.toEqual(getIds(first));
    const withExif = await ask('Lisbon', me, { size: 1, withExif: true });
    expect(withExif.assets.items[0].exifInfo.city).toBe('Lisbon');
  });

  test('people of the found items are returned when requested', async () => {
    const body = { personIds: [ann], withPeople: true };
    const { assets } = (await call(app, 'POST /search/metadata', { as: me, body })).body;
    expect(assets.items).toHaveLength(4);
    for (const item of assets.items) expect(item.people).toMatchObject([{ id: ann, name: 'Ann' }]);
    const other = await seed(database).user();
    const theirs = await call(app, 'POST /search/metadata', { as: other, body });
    expect(theirs.body.assets.items).toEqual([]);
  });

  test('names of other accounts are not resolved', async () => {
    const stranger = await seed(database).user();
    const reply = await ask('Ann in Lisbon 2024', stranger);
    expect(reply.interpretation).toMatchObject({
      text: 'Ann in Lisbon',
      unresolved: ['ann', 'lisbon'],
    });
    expect(getIds(reply)).toEqual([]);
    // A partner's places are known, unless they are hidden.
    const pair = { sharerId: me.id, viewerId: stranger.id, inTimeline: true };
    await database.db.insert(partners).values(pair);
    expect((await ask('Lisbon', stranger)).interpretation.filter).toEqual({
      visibility: 'timeline',
      city: 'Lisbon',
    });
    await database.db.update(partners).set({ hidesPlaces: true });
    expect((await ask('Lisbon', stranger)).interpretation.filter).toEqual({
      visibility: 'timeline',
    });
  });

  test('excludes negated people, and finds pets by name', async () => {
    const [without, not] = [await ask('Lisbon without Ann'), await ask('Ann, not in Lisbon')];
    expect(getIds(without)).not.toContain(wanted);
    expect(getIds(without)).toHaveLength(1);
    expect(getIds(not)).toHaveLength(1);
    const [pet] = await database.sql<{ id: string }[]>`
      insert into pet (owner_id, name, species) values (${me.id}, 'Rex', 'dog') returning id`;
    await database.sql`insert into pet_observation
      (asset_id, pet_id, species, score, x1, y1, x2, y2, model_id)
      values (${bare}, ${pet!.id}, 'dog', 1, 0, 0, 1, 1, 'm')`;
    expect(getIds(await ask('Rex'))).toEqual([bare]);
    const body = (await ask('Ann without Rex')).interpretation.filter;
    const found = (await call(app, 'POST /search/metadata', { as: me, body })).body;
    expect(getIds(found)).toContain(wanted);
    expect(getIds(found)).not.toContain(bare);
    // To others it is no name.
    const other = await seed(database).user();
    expect((await ask('Rex', other)).interpretation.text).toBe('Rex');
    const theirs = { filter: { petIds: { none: [pet!.id] } } };
    const seen = (await call(app, 'POST /search/metadata', { as: other, body: theirs })).body;
    expect(getIds(seen)).toEqual([]);
  });

  test('punctuation alone does not list everything', async () => {
    for (const query of ['%', '👩‍👩‍👧', '_', '???']) {
      const reply = await ask(query);
      expect([query, reply.interpretation.text, getIds(reply)]).toEqual([query, query, []]);
    }
  });

  test('is refused with a wrong length and for guests', async () => {
    const status = async (body: object, as: TestUser | undefined = me) =>
      (await call(app, 'POST /search/ask', { as, body })).status;
    expect(await status({ query: '' })).toBe(400);
    expect(await status({ query: 'x'.repeat(501) })).toBe(400);
    expect(await status({ query: 'x'.repeat(500) })).toBe(200);
    expect(await status({})).toBe(400);
    expect(await status({ query: 'x', size: 1001 })).toBe(400);
    const weak = await seed(database).user(['asset.statistics']);
    expect(await status({ query: 'x' }, weak)).toBe(403);
  });

  test('any text gets a 200', async () => {
    for (const query of [
      "'; drop table asset; --",
      ' ',
      '\u0000',
      '%_\\',
      "O'Neill's",
      '👩‍👩‍👧',
      'a'.repeat(499),
      '0/0/0',
      '31.02.2020',
      "'a':* & !b | (c",
    ]) {
      const { status } = await call(app, 'POST /search/ask', { as: me, body: { query } });
      expect([query, status === 200 || (query === '\u0000' && status === 400)]).toEqual([
        query,
        true,
      ]);
    }
  });
});

test('a key that may not read people, albums or tags is told of none by a question', async () => {
  await database.sql`insert into album (owner_id, name) values (${me.id}, 'Quokkas')`;
  const id = await seed(database).asset({ ownerId: me.id });
  await database.sql`
    with added as (insert into tag (owner_id, value) values (${me.id}, 'Wombats') returning id)
    insert into tag_asset select id, ${id} from added`;
  const readFilter = async (...permissions: string[]) => {
    const body = { name: 'k', permissions: ['asset.read', ...permissions] };
    const { body: key } = await call(app, 'POST /api-keys', { session: me, body });
    const { interpretation } = await ask('Ann without wombats in album Quokkas', {
      ...me,
      key: key.secret,
    });
    return JSON.stringify(interpretation.filter).match(/\w+Ids/g) ?? [];
  };
  expect(await readFilter()).toEqual([]);
  expect(await readFilter('person.read')).toEqual(['personIds']);
  expect(await readFilter('album.read')).toEqual(['albumIds']);
  expect(await readFilter('tag.read')).toEqual(['tagIds']);
});
