import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { albumAssets, albums } from '../../../db/tables/albums.ts';
import { tagAssets, tags } from '../../../db/tables/tags.ts';
import { partners } from '../../../db/tables/identity.ts';

// Sentences as people write them, against a library: what is found, and what is not.

const { database, app } = await useApp();
let [me, partner]: TestUser[] = [];
const ids: Record<string, string> = {};
const people: Record<string, string> = {};

async function add(name: string, day: string, exif: object = {}, over: object = {}) {
  ids[name] = await seed(database).asset({
    ownerId: me!.id,
    fileName: `${name}.jpg`,
    takenAt: new Date(`${day}T12:00:00Z`),
    exif: { model: 'X100', ...exif },
    ...over,
  });
  return ids[name];
}

async function show(person: string, ...names: string[]) {
  for (const name of names)
    await database.sql`
      insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
        source, source_revision)
      values (${me!.id}, ${ids[name]!}, ${people[person]!}, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', 'r')`;
}

beforeAll(async () => {
  me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
  partner = await seed(database).user();
  for (const [name, birthDate] of [
    ['Anna', '2018-03-04'],
    ['Tom', null],
  ] as const) {
    const { body } = await call(app, 'POST /people', { as: me, body: { name, birthDate } });
    people[name] = body.id;
  }
  await add('beach', '2024-07-10', { description: 'At the beach', city: 'Lisbon' });
  await add('onlyAnna', '2024-07-11', { description: 'beach', city: 'Lisbon' });
  await add('winter', '2024-01-11', { description: 'beach' });
  await add('birthday', '2023-03-04');
  await add('lockedBirthday', '2023-03-04', {}, { lockedAt: new Date() });
  await add('nextDay', '2023-03-05');
  await add('screen', '2024-02-01', { model: null }, { fileName: 'Screenshot_1.png' });
  await add(
    'trashedScreen',
    '2024-02-01',
    { model: null },
    { fileName: 'Screenshot_2.png', trashedAt: new Date() },
  );
  await add('selfie', '2024-02-02', { lensModel: 'Pixel 8 front camera' });
  await add('pano', '2024-02-03', { exifWidth: 9000, exifHeight: 3000 });
  await add('burst', '2024-02-04', { burstId: 'b' });
  await add('long', '2024-02-05', {}, { type: 'VIDEO', durationMs: 90_000 });
  await add('short', '2024-02-06', {}, { type: 'VIDEO', durationMs: 59_000 });
  await add('edited', '2024-02-07');
  await database.sql`insert into asset_edit (asset_id, position, action, parameters)
    values (${ids['edited']!}, 0, 'rotate', '{"angle": 90}')`;
  ids['partners'] = await seed(database).asset({
    ownerId: partner.id,
    takenAt: new Date('2024-07-12T12:00:00Z'),
    exif: { city: 'Lisbon' },
  });
  await database.db
    .insert(partners)
    .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  await show('Anna', 'beach', 'onlyAnna', 'winter');
  await show('Tom', 'beach', 'winter');
  await indexTexts(database);
});

type Asked = {
  interpretation: { text: string | null; unresolved: string[]; filter: object };
  found: string[];
  chips: [string, string][];
};

async function ask(query: string, as = me!): Promise<Asked> {
  const { body, status } = await call(app, 'POST /search/ask', { as, body: { query, size: 100 } });
  expect(status).toBe(200);
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const { interpretation } = body;
  return {
    interpretation,
    found: body.assets.items.map(({ id }: { id: string }) => names.get(id) ?? id).toSorted(),
    chips: interpretation.chips.map(({ field, source }: Record<string, string>) => [field, source]),
  };
}

describe('a sentence finds what it says, with a chip for each part', () => {
  const lisbon = ['beach', 'onlyAnna'];
  test.each<[string, string[], [string, string][]]>([
    ['screenshots', ['screen'], [['captureTypes', 'screenshots']]],
    ['selfies', ['selfie'], [['captureTypes', 'selfies']]],
    ['panoramas', ['pano'], [['captureTypes', 'panoramas']]],
    ['bursts', ['burst'], [['captureTypes', 'bursts']]],
    ['edited', ['edited'], [['isEdited', 'edited']]],
    [
      'videos longer than a minute',
      ['long'],
      [
        ['type', 'videos'],
        ['duration', 'longer than a minute'],
      ],
    ],
    ['shorter than a minute', ['short'], [['duration', 'shorter than a minute']]],
    [
      'photos I took in Lisbon',
      lisbon,
      [
        ['isOwn', 'I took'],
        ['city', 'Lisbon'],
      ],
    ],
    ['Lisbon', [...lisbon, 'partners'], [['city', 'Lisbon']]],
    [
      'Anna and Tom at the beach in summer 2024',
      ['beach'],
      [
        ['personIds', 'Anna'],
        ['personIds', 'Tom'],
        ['takenAt', 'summer 2024'],
      ],
    ],
    ["Anna's birthday", ['birthday'], [['birthday', "Anna's birthday"]]],
    ["Anna's 5th birthday", ['birthday'], [['birthday', "Anna's 5th birthday"]]],
    ["Anna's 6th birthday", [], [['birthday', "Anna's 6th birthday"]]],
    [
      "Anna's birthday 2023",
      ['birthday'],
      [
        ['birthday', "Anna's birthday"],
        ['takenAt', '2023'],
      ],
    ],
    [
      "Anna's birthday 2011",
      [],
      [
        ['birthday', "Anna's birthday"],
        ['takenAt', '2011'],
      ],
    ],
  ])('%p', async (query, found, chips) => {
    const asked = await ask(query);
    expect(asked).toMatchObject({ found: found.toSorted(), chips });
    expect(asked.interpretation.unresolved).toEqual([]);
  });

  test('what excludes finds the rest, and nothing that is not shown', async () => {
    const { found } = await ask('no screenshots');
    expect(found).toHaveLength(Object.keys(ids).length - 3);
    for (const name of ['screen', 'trashedScreen', 'lockedBirthday'])
      expect(found).not.toContain(name);
  });

  test('what was not understood is told', async () => {
    const { interpretation, found } = await ask('screenshots xylophone');
    expect([interpretation.text, interpretation.unresolved, found]).toEqual([
      'xylophone',
      ['xylophone'],
      [],
    ]);
  });
});

test('an album is named as one; albums of others are not known', async () => {
  const album = { ownerId: me!.id, name: 'Best of spring' };
  const [row] = await database.db.insert(albums).values(album).returning();
  await database.db.insert(albumAssets).values({ albumId: row!.id, assetId: ids['pano']! });
  expect((await ask('in album best of spring')).found).toEqual(['pano']);
  expect((await ask('not in album best of spring')).found).not.toContain('pano');
  expect((await ask('panoramas not in any album')).found).toEqual([]);
  const { chips } = await ask('in album best of spring', partner);
  expect(chips).toEqual([]);
});

test('a holiday is of every year or of one, and an album, a tag or a person may be called like it', async () => {
  const own = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
  const taken = (day: string) =>
    seed(database).asset({
      ownerId: own.id,
      takenAt: new Date(`${day}T12:00:00Z`),
      localTakenAt: `${day} 13:00:00`,
    });
  const [early, late] = [await taken('2009-12-24'), await taken('2022-12-26')];
  const [easter, party, market] = [
    await taken('2023-04-09'),
    await taken('2023-07-09'),
    await taken('2022-12-27'),
  ];
  const found = async (query: string) => (await ask(query, own)).found;
  expect(await found('Christmas')).toEqual([early, late].toSorted());
  expect(await found('Noël 2022')).toEqual([late]);
  expect(await found('Christmas 2021')).toEqual([]);
  expect(await found('Easter')).toEqual([easter]);
  expect(await found('Ostern 2022')).toEqual([]);
  expect(await found('between July and September')).toEqual([party]);
  expect(await found('March to May')).toEqual([easter]);

  const [album] = await database.db
    .insert(albums)
    .values({ ownerId: own.id, name: 'Christmas' })
    .returning();
  await database.db.insert(albumAssets).values({ albumId: album!.id, assetId: party });
  const [above] = await database.db
    .insert(tags)
    .values({ ownerId: own.id, value: 'Events' })
    .returning();
  const [tag] = await database.db
    .insert(tags)
    .values({ ownerId: own.id, value: 'Events/Christmas', parentId: above!.id })
    .returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: market });
  expect(await found('Christmas')).toEqual([early, late, party, market].toSorted());
  expect(await found('Christmas 2022')).toEqual([late]);
  expect(await found('in album Christmas')).toEqual([party]);
  const { body } = await call(app, 'POST /people', { as: own, body: { name: 'Noel' } });
  const { chips, interpretation } = await ask('Noel', own);
  expect(chips).toEqual([['personIds', 'Noel']]);
  expect(interpretation.filter).toMatchObject({ personIds: [body.id] });
  // Nobody else's names are alternatives.
  const { interpretation: strangers } = await ask('Christmas', partner);
  expect(strangers.filter).toMatchObject({
    filter: { takenOn: { in: ['12-24', '12-25', '12-26'] } },
  });
});

test('a relation is what the owner says, and means those people only to the owner', async () => {
  const put = (relation: unknown, as = me!, id = people['Anna']!) =>
    call(app, `PUT /people/${id}/relation`, { as, body: { relation } });
  expect((await ask('my daughter')).chips).toEqual([]);
  expect((await put('daughter')).body).toEqual({ relation: 'daughter' });
  expect((await put('son', me, people['Tom'])).status).toBe(200);
  const read = await call(app, `GET /people/${people['Anna']}/relation`, { as: me! });
  expect(read.body).toEqual({ relation: 'daughter' });
  expect((await ask('my daughter')).found).toEqual(['beach', 'onlyAnna', 'winter']);
  expect((await ask("my daughter's birthday")).found).toEqual(['birthday']);
  expect((await ask('my kids')).found).toEqual(['beach', 'onlyAnna', 'winter']);
  expect((await ask('my daughter', partner)).chips).toEqual([]);

  for (const wrong of ['boss', '', 1, undefined]) {
    const { status, body } = await put(wrong);
    expect([wrong, status, JSON.stringify(body).includes('relation')]).toEqual([wrong, 400, true]);
  }
  expect((await put('friend', partner)).status).toBe(400);
  const weak = await seed(database).user(['person.read']);
  expect((await put('friend', weak)).status).toBe(403);
  expect((await put(null)).body).toEqual({ relation: null });
  expect((await ask('my daughter')).chips).toEqual([]);
});

test('a filter of how items were made accepts known names only', async () => {
  const search = (captureTypes: object) =>
    call(app, 'POST /search/metadata', { as: me!, body: { filter: { captureTypes } } });
  expect((await search({ any: ['hologram'] })).status).toBe(400);
  expect((await search({})).status).toBe(400);
  const found = async (captureTypes: object) => (await search(captureTypes)).body.assets.count;
  expect(await found({ any: [] })).toBe(0);
  expect(await found({ any: ['selfie', 'panorama'] })).toBe(2);
  expect(await found({ all: ['selfie', 'panorama'] })).toBe(0);
});
