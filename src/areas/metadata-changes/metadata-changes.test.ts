import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { effort } from '../../../test/support/effort.ts';
import { call, type Caller, type NewAsset, NOW, seed } from '../../../test/support/harness.ts';
import { addStack, listRefusedCallers } from '../../../test/support/household.ts';
import { addManyAssets } from '../../../test/support/many-assets.ts';

const { database, app, house, me } = await useHousehold();
// The latest 20 are kept, and the clock of tests stands still: of older ones any could go.
beforeEach(async () => {
  await database.sql`delete from metadata_change`;
});

const TAKEN = '2024-07-01T10:00:00.000Z';
const BERLIN = {
  takenAt: new Date(TAKEN),
  localTakenAt: '2024-07-01T12:00:00',
  exif: { timeZone: 'Europe/Berlin', dateTimeOriginal: new Date(TAKEN) },
};
const add = (over: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...over });
const send = (assetIds: readonly string[], change: object, caller: Caller = { as: me }) =>
  call(app, 'POST /metadata-changes', { ...caller, body: { assetIds, ...change } });
const changed = async (assetIds: readonly string[], change: object): Promise<{ id: string }> => {
  const reply = await send(assetIds, change);
  expect(reply).toMatchObject({ status: 201 });
  return reply.body;
};
const undo = (id: string, caller: Caller = { as: me }) =>
  call(app, `POST /metadata-changes/${id}/undo`, caller);
const preview = (assetIds: readonly string[], change: object, caller: Caller = { as: me }) =>
  call(app, 'POST /metadata-changes/preview', { ...caller, body: { assetIds, ...change } });
const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;
const getDate = async (id: string) => {
  const { fileCreatedAt, localDateTime, exifInfo } = await get(id);
  return [fileCreatedAt.slice(0, 19), localDateTime.slice(0, 19), exifInfo.timeZone];
};
/** Everything that a change may touch, as the database has it. */
const getRows = async (ids: readonly string[]) => database.sql`
  select asset.id, taken_at::text, local_taken_at::text, date_time_original::text, time_zone, latitude,
    longitude, city, state, country, rating, coalesce(description, '') as description,
    coalesce(edited_fields, '{}') as edited
  from asset left join asset_exif on asset_id = asset.id
  where asset.id = any(${ids as string[]}::uuid[]) order by asset.id`;

describe('dates', () => {
  const cases: [string, object, string[]][] = [
    [
      'a day keeps the time and the zone of each',
      { kind: 'set', day: '2020-01-15' },
      ['2020-01-15T11:00:00', '2020-01-15T12:00:00', 'Europe/Berlin'],
    ],
    [
      'a time keeps the day',
      { kind: 'set', time: '08:30' },
      ['2024-07-01T06:30:00', '2024-07-01T08:30:00', 'Europe/Berlin'],
    ],
    [
      'day, time and zone',
      { kind: 'set', day: '2020-02-03', time: '04:05:06', timeZone: 'Asia/Tokyo' },
      ['2020-02-02T19:05:06', '2020-02-03T04:05:06', 'Asia/Tokyo'],
    ],
    [
      'an offset as zone',
      { kind: 'set', day: '2020-02-03', timeZone: '+05:30' },
      ['2020-02-03T06:30:00', '2020-02-03T12:00:00', 'UTC+5:30'],
    ],
    [
      'a shift moves the clock, also into winter time',
      { kind: 'shift', minutes: -200 * 1440 - 90 },
      ['2023-12-14T09:30:00', '2023-12-14T10:30:00', 'Europe/Berlin'],
    ],
    [
      'another zone for the same instant',
      { kind: 'zone', timeZone: 'Asia/Tokyo', keeps: 'instant' },
      ['2024-07-01T10:00:00', '2024-07-01T19:00:00', 'Asia/Tokyo'],
    ],
    [
      'another zone for the same clock',
      { kind: 'zone', timeZone: 'Asia/Tokyo', keeps: 'clock' },
      ['2024-07-01T03:00:00', '2024-07-01T12:00:00', 'Asia/Tokyo'],
    ],
  ];
  for (const [name, date, expected] of cases) {
    test(name, async () => {
      const id = await add(BERLIN);
      expect(await changed([id], { date })).toMatchObject({ changed: 1 });
      expect(await getDate(id)).toEqual(expected);
      expect((await get(id)).exifInfo.dateTimeOriginal).toBe(`${expected[0]}+00:00`);
    });
  }

  test('an item without a zone keeps its distance from UTC', async () => {
    const id = await add({ takenAt: new Date(TAKEN), localTakenAt: '2024-07-01T13:00:00' });
    await changed([id], { date: { kind: 'set', day: '2020-01-15' } });
    expect(await getDate(id)).toEqual(['2020-01-15T10:00:00', '2020-01-15T13:00:00', null]);
  });

  test('are copied from another item, also from one of a partner that shows its places', async () => {
    const source = await add(BERLIN);
    const id = await add();
    await changed([id], { date: { kind: 'copy', assetId: source } });
    expect(await getDate(id)).toEqual(await getDate(source));
    const own = await seed(database).asset({ ownerId: house.owner.id });
    const date = { kind: 'copy', assetId: house.ids.ofPartner };
    expect((await send([own], { date }, { as: house.owner })).status).toBe(201);
    await database.sql`update partner set hides_places = true where viewer_id = ${house.owner.id}`;
    for (const change of [{ date }, { place: date }]) {
      expect((await send([own], change, { as: house.owner })).status).toBe(400);
    }
    await database.sql`update partner set hides_places = false where viewer_id = ${house.owner.id}`;
  });

  test('of a live photo change with those of its video, of a stack if asked for', async () => {
    const video = await add({ ...BERLIN, type: 'VIDEO', visibility: 'hidden' });
    const still = await add({ ...BERLIN, liveVideoId: video });
    const stackId = await addStack(database, me.id, still);
    const mate = await add({ ...BERLIN, stackId, isStackChild: true });
    const date = { kind: 'shift', minutes: 60 };
    expect((await preview([still], { date })).body).toMatchObject({ parts: 1, stacked: 1 });
    const { id } = await changed([still], { date, rating: 5 });
    expect((await getDate(video))[1]).toBe('2024-07-01T13:00:00');
    expect((await getDate(mate))[1]).toBe('2024-07-01T12:00:00');
    expect((await get(video)).exifInfo.rating).toBeNull();
    await undo(id);
    expect((await getDate(video))[1]).toBe('2024-07-01T12:00:00');
    await changed([still], { date, rating: 5, withStacks: true });
    expect((await getDate(mate))[1]).toBe('2024-07-01T13:00:00');
    expect((await get(mate)).exifInfo.rating).toBeNull();
  });

  const refused: [string, object, string][] = [
    ['a day that does not exist', { kind: 'set', day: '2023-02-30' }, 'day'],
    ['a time that does not exist', { kind: 'set', time: '24:10' }, 'time'],
    ['a clock that was skipped', { kind: 'set', day: '2024-03-31', time: '02:30' }, 'time'],
    ['an unknown zone', { kind: 'zone', timeZone: 'Mars/Olympus', keeps: 'clock' }, 'timeZone'],
    ['a day in the future', { kind: 'set', day: '2031-01-01' }, 'day'],
    ['a shift into the future', { kind: 'shift', minutes: 1_000_000 }, 'minutes'],
    ['a shift by nothing', { kind: 'shift', minutes: 0 }, 'minutes'],
    ['a date of nothing', { kind: 'set' }, 'day'],
  ];
  for (const [name, date, field] of refused) {
    test(`${name} → 400 that names ${field}`, async () => {
      const ids = [await add({ ...BERLIN, takenAt: new Date('2020-01-01Z') }), await add(BERLIN)];
      const before = await getRows(ids);
      for (const reply of [await send(ids, { date }), await preview(ids, { date })]) {
        expect(reply.status).toBe(400);
        expect(reply.body.errors[0].path).toEqual(['date', field]);
      }
      expect(await getRows(ids)).toEqual(before);
    });
  }
});

describe('places, ratings and descriptions', () => {
  test('a position has its city at once, and none when it is removed', async () => {
    const id = await add({
      exif: { city: 'Paris', country: 'France', latitude: 48, longitude: 2 },
    });
    await changed([id], { place: { kind: 'set', latitude: 38.72, longitude: -9.14 } });
    expect((await get(id)).exifInfo).toMatchObject({ city: 'Lisbon', country: 'Portugal' });
    const other = await add();
    await changed([other], { place: { kind: 'copy', assetId: id } });
    expect((await get(other)).exifInfo).toMatchObject({ latitude: 38.72, city: 'Lisbon' });
    await changed([id], { place: { kind: 'remove' } });
    const none = { latitude: null, longitude: null, city: null, state: null, country: null };
    expect((await get(id)).exifInfo).toMatchObject(none);
    expect(
      (await send([id], { place: { kind: 'copy', assetId: id } })).body.errors[0].path,
    ).toEqual(['place', 'assetId']);
  });

  test('a new reading of the file leaves all of them alone', async () => {
    const id = await add(BERLIN);
    await changed([id], {
      date: { kind: 'set', day: '2020-01-15' },
      place: { kind: 'remove' },
      rating: 3,
      description: 'At the sea',
    });
    expect((await getRows([id]))[0]!['edited']).toEqual([
      'dateTimeOriginal',
      'description',
      'latitude',
      'longitude',
      'rating',
    ]);
    expect((await get(id)).exifInfo).toMatchObject({ rating: 3, description: 'At the sea' });
  });

  test('nothing to change → 400', async () => {
    expect((await send([await add()], {})).status).toBe(400);
  });
});

describe('undo', () => {
  test('restores every former value of thousands of items, with a few statements', async () => {
    const many = effort({ quick: 1000, full: 5000 });
    const ids = await addManyAssets(database, me.id, many);
    await database.sql`analyze asset`;
    await database.sql`insert into asset_exif (asset_id, description, rating, time_zone, latitude, longitude, city)
      select id, file_name, 2, 'UTC', 48, 2, 'Paris' from asset where id = any(${ids}::uuid[])
      and file_name < '5'`;
    const before = await getRows(ids);
    const { id } = await changed(ids, {
      date: { kind: 'shift', minutes: -90 },
      place: { kind: 'set', latitude: 38.72, longitude: -9.14 },
      rating: 4,
      description: 'Trip',
    });
    expect((await getRows(ids)).every((row) => row['city'] === 'Lisbon')).toBe(true);
    expect((await undo(id)).body).toEqual({ restored: many, kept: 0 });
    expect(await getRows(ids)).toEqual(before);
    expect((await undo(id)).status).toBe(409);
  }, 120_000);

  test('leaves what has changed since', async () => {
    const ids = [await add(BERLIN), await add(BERLIN), await add(BERLIN)];
    const { id } = await changed(ids, { rating: 4 });
    await call(app, `PUT /assets/${ids[0]}`, { as: me, body: { rating: 1 } });
    await changed([ids[1]!], { rating: 2 });
    expect((await undo(id)).body).toEqual({ restored: 1, kept: 2 });
    const ratings = await Promise.all(ids.map(async (one) => (await get(one)).exifInfo.rating));
    expect(ratings).toEqual([1, 2, null]);
  });

  test('of an account is its own affair, and the latest 20 are kept', async () => {
    const asset = await add();
    const { id: first } = await changed([asset], { rating: 1 });
    for (const caller of [{ as: house.owner }, { as: house.stranger }]) {
      expect((await undo(first, caller)).status).toBe(404);
    }
    // The clock of tests stands still.
    await database.sql`update metadata_change set created_at = created_at - interval '1 hour' where id = ${first}`;
    for (let at = 0; at < 20; at++) await changed([asset], { rating: (at % 5) + 1 });
    expect((await undo(first)).status).toBe(404);
  });
});

describe('all items or none change', () => {
  const foreign: [string, () => string][] = [
    ['that does not exist', () => crypto.randomUUID()],
    ['of a partner', () => house.ids.ofPartner],
    ['that is locked', () => house.ids.locked],
  ];
  for (const [name, foreignId] of foreign) {
    test(`an item ${name} among them → 400`, async () => {
      const ids = [house.ids.plain, foreignId()];
      const before = await getRows(ids);
      for (const ask of [send, preview]) {
        expect(await ask(ids, { rating: 5 }, { as: house.owner })).toMatchObject({
          status: 400,
          body: { message: 'Not found or no asset.update access' },
        });
      }
      expect(await getRows(ids)).toEqual(before);
    });
  }

  test('others, guests and keys without the permission change nothing', async () => {
    const before = await getRows([house.ids.plain]);
    const callers: [Caller, number][] = [
      [{ as: house.viewer }, 400],
      [{ as: house.member }, 400],
      ...(await listRefusedCallers(database, house)),
    ];
    for (const [caller, status] of callers) {
      for (const ask of [send, preview]) {
        expect((await ask([house.ids.plain], { rating: 1 }, caller)).status).toBe(status);
      }
    }
    expect(await getRows([house.ids.plain])).toEqual(before);
  });

  test('a preview changes nothing and shows before and after', async () => {
    const id = await add(BERLIN);
    const before = await getRows([id]);
    const { body } = await preview([id], { date: { kind: 'set', day: '2020-01-15' }, rating: 0 });
    expect(body).toMatchObject({
      changed: 1,
      parts: 0,
      examples: [
        {
          assetId: id,
          originalFileName: 'a.jpg',
          before: { localDateTime: '2024-07-01T12:00:00.000Z', timeZone: 'Europe/Berlin' },
          after: { localDateTime: '2020-01-15T12:00:00.000Z', rating: null },
        },
      ],
    });
    expect(await getRows([id])).toEqual(before);
  });
});

test('the clock of a file in the future is corrected from what the file says', async () => {
  const createdAt = new Date(NOW.getTime());
  const id = await add({
    createdAt,
    takenAt: createdAt,
    localTakenAt: createdAt.toISOString().slice(0, -1),
    exif: { timeZone: 'UTC', dateTimeOriginal: new Date('2036-01-02T00:00:00Z') },
  });
  await changed([id], { date: { kind: 'shift', minutes: -3653 * 1440 } });
  expect((await getDate(id))[1]).toBe('2026-01-01T00:00:00');
});
